#include <cmath>

#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/exponential.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

// The steps are 1 in all but one operand of Eisner's charts; telling the compiler lets it use packed loads.
template <class Body>
[[gnu::always_inline]] inline auto with_known_steps(int a_step, int b_step, Body body) {
    if (a_step == 1 && b_step == 1) return body(1, 1);
    if (a_step == 1) return body(1, b_step);
    if (b_step == 1) return body(a_step, 1);
    return body(a_step, b_step);
}

// Largest a + b, in four independent lanes so that the chain of comparisons does not bind.
[[gnu::always_inline]] inline double largest(const double* a, int a_step, const double* b, int b_step, int count) {
    double lanes[4] = {MaxSemiring::zero, MaxSemiring::zero, MaxSemiring::zero, MaxSemiring::zero};
    int k = 0;
    for (; k + 4 <= count; k += 4)
        for (int l = 0; l < 4; ++l) {
            const double value = a[(k + l) * a_step] + b[(k + l) * b_step];
            lanes[l] = value > lanes[l] ? value : lanes[l];
        }
    for (; k < count; ++k) lanes[0] = MaxSemiring::plus(a[k * a_step] + b[k * b_step], lanes[0]);
    return MaxSemiring::plus(MaxSemiring::plus(lanes[0], lanes[1]), MaxSemiring::plus(lanes[2], lanes[3]));
}

[[gnu::always_inline]] inline double sum_exp(const double* a, int a_step, const double* b, int b_step, int count,
                                             double shift) {
    double lanes[4] = {0, 0, 0, 0};
    int k = 0;
    for (; k + 4 <= count; k += 4)
        for (int l = 0; l < 4; ++l) lanes[l] += exp_bounded(a[(k + l) * a_step] + b[(k + l) * b_step] - shift);
    for (; k < count; ++k) lanes[0] += exp_bounded(a[k * a_step] + b[k * b_step] - shift);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

ARBORA_VECTORISED double MaxSemiring::dot(const double* a, int a_step, const double* b, int b_step, int count) {
    return with_known_steps(a_step, b_step, [=](int i, int j) { return largest(a, i, b, j, count); });
}

double LogSemiring::plus(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return low == zero ? high : high + std::log1p(std::exp(low - high));
}

ARBORA_VECTORISED double LogSemiring::dot(const double* a, int a_step, const double* b, int b_step, int count) {
    const double shift =
        with_known_steps(a_step, b_step, [=](int i, int j) { return largest(a, i, b, j, count); });
    if (shift == zero) return zero;
    return shift + std::log(with_known_steps(a_step, b_step, [=](int i, int j) {
               return sum_exp(a, i, b, j, count, shift);
           }));
}

}  // namespace arbora
