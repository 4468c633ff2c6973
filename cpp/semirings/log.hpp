#pragma once
#include <limits>

#include "semirings/semiring.hpp"

namespace arbora {

// (log(exp + exp), +, -inf, 0): sums of weights, kept as logarithms.
struct LogSemiring {
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    static constexpr double one = 0;
    static double plus(double a, double b);
    static double times(double a, double b) { return a + b; }
    static double dot(const double* a, const double* b, int count);
};

static_assert(Semiring<LogSemiring>);

}  // namespace arbora
