#include "charts/algorithms.hpp"

#include "support/vectorise.hpp"

namespace arbora {

ARBORA_VECTORISED void share_out(double p, const double* a, int a_step, const double* b, int b_step, int count,
                                 double total, double* __restrict probabilities) {
    if (a_step == 1 && b_step == 1) {
        ARBORA_INDEPENDENT
        for (int k = 0; k < count; ++k) probabilities[k] = p * exp_bounded(a[k] + b[k] - total);
    } else {
        ARBORA_INDEPENDENT
        for (int k = 0; k < count; ++k) probabilities[k] = p * exp_bounded(a[k * a_step] + b[k * b_step] - total);
    }
}

}  // namespace arbora
