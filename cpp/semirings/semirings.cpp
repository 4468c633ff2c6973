#include <cmath>

#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

// The steps are 1 in all but one operand of Eisner's charts; telling the compiler lets it use packed loads.
template <class Body>
ARBORA_INLINE auto with_known_steps(int a_step, int b_step, Body body) {
    if (a_step == 1 && b_step == 1) return body(1, 1);
    if (a_step == 1) return body(1, b_step);
    if (b_step == 1) return body(a_step, 1);
    return body(a_step, b_step);
}

// each(a + b) for four at a time; the last ones are filled up with -inf.
template <class Each>
ARBORA_INLINE void for_sums(const double* a, int a_step, const double* b, int b_step, int count, Each each) {
    int k = 0;
    for (; k + lane_count <= count; k += lane_count) each(load(a + k * a_step, a_step) + load(b + k * b_step, b_step));
    if (k < count)
        each(load_some(a + k * a_step, a_step, count - k) + load_some(b + k * b_step, b_step, count - k));
}

ARBORA_INLINE double largest_sum(const double* a, int a_step, const double* b, int b_step, int count) {
    return with_known_steps(a_step, b_step, [=](int i, int j) {
        Lanes best = all_lanes(MaxSemiring::zero);
        for_sums(a, i, b, j, count, [&best](Lanes sums) { best = larger(sums, best); });
        return largest_lane(best);
    });
}

}  // namespace

ARBORA_VECTORISED double MaxSemiring::dot(const double* a, int a_step, const double* b, int b_step, int count) {
    return largest_sum(a, a_step, b, b_step, count);
}

double LogSemiring::plus(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return low == zero ? high : high + std::log1p(std::exp(low - high));
}

ARBORA_VECTORISED double LogSemiring::dot(const double* a, int a_step, const double* b, int b_step, int count) {
    const double shift = largest_sum(a, a_step, b, b_step, count);
    if (shift == zero) return zero;
    const double total = with_known_steps(a_step, b_step, [=](int i, int j) {
        Lanes total{};
        for_sums(a, i, b, j, count, [&](Lanes sums) { total += exp_bounded(sums - shift); });
        return sum_of_lanes(total);
    });
    return shift + std::log(total);
}

}  // namespace arbora
