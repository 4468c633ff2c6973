#pragma once
#include <limits>

#include "semirings/semiring.hpp"

namespace arbora {

// (max, +, -inf, 0): the best score.
struct MaxSemiring {
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    static constexpr double one = 0;
    static double plus(double a, double b) { return a > b ? a : b; }
    static double times(double a, double b) { return a + b; }
    static double dot(const double* a, const double* b, int count);
};

static_assert(Semiring<MaxSemiring>);

}  // namespace arbora
