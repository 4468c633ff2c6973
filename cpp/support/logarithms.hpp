#pragma once
#include <cmath>

namespace arbora {

// Sums of weights that are known by their logarithms; -inf is the weight 0. Nothing is subtracted, so nothing cancels.

// log(1 + exp(x)).
inline double softplus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

// log(exp(a) + exp(b)).
inline double log_add(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + std::log1p(std::exp(low - high));
}

// log((1 + exp(a)) (1 + exp(b)) - 1) = log(exp(a) + exp(b) + exp(a + b)).
inline double log_any(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    if (low == -INFINITY) return high;
    if (low > 0) return a + b + std::log1p(std::exp(-a) + std::exp(-b));
    return high + std::log1p(std::exp(low - high) + std::exp(low));
}

}  // namespace arbora
