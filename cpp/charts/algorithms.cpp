#include "charts/algorithms.hpp"

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {

ARBORA_VECTORISED void share_out(double p, const double* a, int a_step, const double* b, int b_step, int count,
                                 double total, double* __restrict probabilities) {
    int k = 0;
    for (; k + lane_count <= count; k += lane_count)
        store(probabilities + k,
              p * exp_bounded(load(a + k * a_step, a_step) + load(b + k * b_step, b_step) - total));
    const Lanes rest = p * exp_bounded(load_some(a + k * a_step, a_step, count - k) +
                                       load_some(b + k * b_step, b_step, count - k) - total);
    for (int l = 0; k < count; ++k, ++l) probabilities[k] = rest[l];
}

}  // namespace arbora
