#pragma once
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "factors/factor_group.hpp"

namespace arbora {

constexpr int none_certain = -1, contradiction = -2;

// Of inputs of which at most one can be true, the one that certainly is.
inline int certain_input(const double* in, int count) {
    int certain = none_certain;
    for (int i = 0; i < count; ++i) {
        if (in[i] != INFINITY) continue;
        if (certain != none_certain) return contradiction;
        certain = i;
    }
    return certain;
}

// Factors over binary variables that allow or forbid and score nothing.
class HardFactor : public FactorGroup {
public:
    HardFactor(std::string kind, Wiring wiring) : FactorGroup(std::move(wiring), {}, {}), kind_(std::move(kind)) {
        for (std::size_t input = 0; input < this->wiring().inputs(); ++input)
            if (this->wiring().is_category(input)) throw std::invalid_argument("the variables must be binary");
    }

    const char* kind() const final { return kind_.c_str(); }
    void add_parts(std::size_t, std::span<const int>, double, double*, Arena&) const final {}

protected:
    int ports(std::size_t factor) const { return wiring().port_count(factor); }

    // What `sum` and `max` give where nothing is possible.
    double nothing(std::size_t factor, double* beliefs) const {
        std::fill_n(beliefs, ports(factor), 0.0);
        return -INFINITY;
    }

private:
    std::string kind_;
};

}  // namespace arbora
