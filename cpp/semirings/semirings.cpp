#include <cmath>

#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

// each(a + b) for four at a time; the last ones are filled up with -inf.
template <class Each>
ARBORA_INLINE void for_sums(const double* a, const double* b, int count, Each each) {
    int k = 0;
    for (; k + lane_count <= count; k += lane_count) each(load(a + k) + load(b + k));
    if (k < count) each(load_some(a + k, count - k) + load_some(b + k, count - k));
}

ARBORA_INLINE double largest_sum(const double* a, const double* b, int count) {
    Lanes best = all_lanes(MaxSemiring::zero);
    for_sums(a, b, count, [&best](Lanes sums) { best = larger(sums, best); });
    return largest_lane(best);
}

}  // namespace

ARBORA_VECTORISED double MaxSemiring::dot(const double* a, const double* b, int count) {
    return largest_sum(a, b, count);
}

double LogSemiring::plus(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return low == zero ? high : high + std::log1p(std::exp(low - high));
}

ARBORA_VECTORISED double LogSemiring::dot(const double* a, const double* b, int count) {
    const double shift = largest_sum(a, b, count);
    if (shift == zero) return zero;
    Lanes total{};
    for_sums(a, b, count, [&](Lanes sums) { total += exp_bounded(sums - shift); });
    return shift + std::log(sum_of_lanes(total));
}

}  // namespace arbora
