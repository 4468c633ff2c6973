#pragma once
#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/arena.hpp"

namespace arbora {

// Many sums that grow side by side, in a semiring. To all of them from `begin` to `end`, one term is added at a time:
// terms[k] times `factor` to sum k.

// Maxima.
class RunningMaxima {
public:
    using Semiring = MaxSemiring;

    RunningMaxima(int count, Arena& arena) : highest_(arena.take<double>(count, MaxSemiring::zero)) {}

    void add(const double* terms, double factor, int begin, int end);
    double value(int k) const { return highest_[k]; }
    // The sum over k < end of weights[k] times sum k.
    double dot(const double* weights, int end) const { return MaxSemiring::dot(weights, highest_, end); }

private:
    double* highest_;
};

// Sums of exponentials. Sum k is log(scaled[k]) + highest[k], where highest is the largest term so far: no term
// overflows, and none is lost but beside a larger one.
class RunningLogSums {
public:
    using Semiring = LogSemiring;

    RunningLogSums(int count, Arena& arena)
        : highest_(arena.take<double>(count, LogSemiring::zero)), scaled_(arena.take<double>(count, 0.0)) {}

    void add(const double* terms, double factor, int begin, int end);
    double value(int k) const;
    double dot(const double* weights, int end) const;

private:
    double *highest_, *scaled_;
};

}  // namespace arbora
