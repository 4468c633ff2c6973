#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "support/arena.hpp"
#include "support/wide.hpp"

namespace arbora {

// Where Wides stand in memory: mantissas side by side, and exponents side by side some way behind them, so that four of
// either are a vector. Goes about like a pointer.
class WideCells {
public:
    WideCells() = default;
    // Room for `count` mantissas, then as many exponents.
    WideCells(double* numbers, std::size_t count)
        : mantissas_(numbers), distance_(static_cast<std::ptrdiff_t>(count)) {}

    // What a reference would be.
    class Place {
    public:
        explicit Place(double* mantissa, double* exponent) : mantissa_(mantissa), exponent_(exponent) {}
        Place(const Place&) = default;
        Place& operator=(Wide x) {
            *mantissa_ = x.mantissa_;
            *exponent_ = x.exponent_;
            return *this;
        }
        Place& operator=(const Place& other) { return *this = static_cast<Wide>(other); }
        operator Wide() const {
            Wide result;
            result.mantissa_ = *mantissa_;
            result.exponent_ = *exponent_;
            return result;
        }

    private:
        double *mantissa_, *exponent_;
    };

    Place operator[](std::size_t i) const { return Place(mantissas() + i, exponents() + i); }
    friend WideCells operator+(WideCells a, std::ptrdiff_t offset) {
        a.mantissas_ += offset;
        return a;
    }
    explicit operator bool() const { return mantissas_; }

    double* mantissas() const { return mantissas_; }
    double* exponents() const { return mantissas_ + distance_; }

private:
    double* mantissas_ = nullptr;
    std::ptrdiff_t distance_ = 0;
};

// Cells of any numbers.
template <class Number>
struct CellsOf {
    using Type = Number*;
};
template <>
struct CellsOf<Wide> {
    using Type = WideCells;
};
template <class Number>
using Cells = typename CellsOf<Number>::Type;

template <class Number>
void copy_cells(const Number* from, std::size_t count, Number* to) {
    std::copy_n(from, count, to);
}
inline void copy_cells(WideCells from, std::size_t count, WideCells to) {
    std::copy_n(from.mantissas(), count, to.mantissas());
    std::copy_n(from.exponents(), count, to.exponents());
}
template <class Number>
void set_to_zero(Number* cells, std::size_t count) {
    std::fill_n(cells, count, Number());
}
inline void set_to_zero(WideCells cells, std::size_t count) {
    std::fill_n(cells.mantissas(), count, 0.0);
    std::fill_n(cells.exponents(), count, Wide::zero_exponent);
}

// Room for `count` numbers, not initialised.
template <class Number>
Cells<Number> take_cells(Arena& arena, std::size_t count) {
    if constexpr (std::is_same_v<Number, Wide>)
        return WideCells(arena.take<double>(2 * count), count);
    else
        return arena.take<Number>(count);
}

// Cells of its own, all zero at first.
template <class Number>
class CellVector {
public:
    void resize(std::size_t count) {
        if (count <= size_) return;
        size_ = count;
        numbers_.resize(std::is_same_v<Number, Wide> ? 2 * count : count);
        set_to_zero(cells(), count);
    }
    Cells<Number> cells() {
        if constexpr (std::is_same_v<Number, Wide>)
            return WideCells(numbers_.data(), size_);
        else
            return numbers_.data();
    }

private:
    std::size_t size_ = 0;
    std::vector<std::conditional_t<std::is_same_v<Number, Wide>, double, Number>> numbers_;
};

}  // namespace arbora
