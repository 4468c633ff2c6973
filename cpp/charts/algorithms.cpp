#include "charts/algorithms.hpp"

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {

ARBORA_VECTORISED void share_out(double p, double total, const double* a, const double* b, int count,
                                 double* a_probabilities, double* b_probabilities) {
    int k = 0;
    for (; k + lane_count <= count; k += lane_count) {
        const Lanes share = p * exp_bounded(load(a + k) + load(b + k) - total);
        store(a_probabilities + k, load(a_probabilities + k) + share);
        store(b_probabilities + k, load(b_probabilities + k) + share);
    }
    if (k == count) return;
    const Lanes share = p * exp_bounded(load_some(a + k, count - k) + load_some(b + k, count - k) - total);
    for (int l = 0; k < count; ++k, ++l) {
        a_probabilities[k] += share[l];
        b_probabilities[k] += share[l];
    }
}

double choice_entropy(double total, const double* a, const double* b, int count) {
    double entropy = 0;
    for (int k = 0; k < count; ++k) {
        const double log_p = a[k] + b[k] - total;
        if (log_p < 0 && log_p > -700) entropy -= log_p * exp_bounded(log_p);
    }
    return entropy;
}

}  // namespace arbora
