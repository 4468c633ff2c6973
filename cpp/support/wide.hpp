#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "support/exponential.hpp"

namespace arbora {

// A non-negative real m * 2^e with m in [1, 2): a double's precision with an exponent that never runs out. Sums and
// products of weights like exp(+-1e6) keep full relative precision; there is no subtraction, so none can cancel.
//
// The exponent is an integer in a double, so that four of them are one vector (wide_lanes.hpp); in memory, mantissas and
// exponents stand apart (cells.hpp).
class Wide {
public:
    constexpr Wide() = default;
    explicit Wide(double value) {
        if (value > 0) {
            int exponent;
            mantissa_ = 2 * std::frexp(value, &exponent);
            exponent_ = exponent - 1;
        }
    }

    // exp(high + low): the two pieces of an exact difference of scores.
    static Wide exp(double high, double low) {
        using namespace exponential;
        if (high == -INFINITY) return {};
        const double k = std::nearbyint(high * log2_e);
        // fused, so that the remainder is exact for any k
        const double r = std::fma(-k, ln2_low, std::fma(-k, ln2_high, high)) + low;
        return normalised(reduced(r), k);
    }

    double log() const {
        if (mantissa_ == 0) return -INFINITY;
        const long double of_exponent = static_cast<long double>(exponent_) * 0.693147180559945309417232121458L;
        return static_cast<double>(of_exponent + std::log(mantissa_));
    }
    double value() const {
        if (exponent_ < -1100) return 0;
        return std::ldexp(mantissa_, exponent_ > 1100 ? 1100 : static_cast<int>(exponent_));
    }
    bool is_zero() const { return mantissa_ == 0; }

    friend Wide operator*(Wide a, Wide b) { return normalised(a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_); }
    friend Wide operator/(Wide a, Wide b) { return normalised(a.mantissa_ / b.mantissa_, a.exponent_ - b.exponent_); }
    // Without branches, which nobody could foresee.
    friend Wide operator+(Wide a, Wide b) {
        const double top = a.exponent_ > b.exponent_ ? a.exponent_ : b.exponent_;
        return normalised(a.below(top) + b.below(top), top);
    }
    friend Wide operator+(Wide a, int b) { return a + Wide(b); }
    Wide& operator+=(Wide other) { return *this = *this + other; }

    // Far below all others, and far from the end of the integers that a double holds.
    static constexpr double zero_exponent = -0x1p50;

private:
    // As a multiple of 2^top. What is below 2^-1000 is as good as nothing beside 1. An integer in the low bits of 2^52 is
    // shifted to where exponents are.
    double below(double top) const {
        const double gap = exponent_ - top, shifted = (gap > -1000 ? gap : -1000) + (0x1p52 + 1023);
        return mantissa_ * std::bit_cast<double>(std::bit_cast<std::uint64_t>(shifted) << 52);
    }
    static Wide normalised(double multiple, double top) {
        Wide result;
        if (multiple == 0) return result;
        const auto bits = std::bit_cast<std::uint64_t>(multiple);
        result.mantissa_ = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
        result.exponent_ = top + (std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023));
        return result;
    }

    double mantissa_ = 0;
    double exponent_ = zero_exponent;

    friend class WideCells;
    friend struct WideLanes;
};

}  // namespace arbora
