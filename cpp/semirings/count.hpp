#pragma once
#include "semirings/semiring.hpp"

namespace arbora {

// (+, *, 0, 1): how many derivations there are, exact up to 2^53.
struct CountSemiring {
    static constexpr double zero = 0;
    static constexpr double one = 1;
    static double plus(double a, double b) { return a + b; }
    static double times(double a, double b) { return a * b; }
    static double dot(const double* a, const double* b, int count) {
        double total = zero;
        for (int k = 0; k < count; ++k) total += a[k] * b[k];
        return total;
    }
};

static_assert(Semiring<CountSemiring>);

}  // namespace arbora
