#include "factors/running_sums.hpp"

#include <cmath>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {

namespace {

constexpr double none = LogSemiring::zero;

ARBORA_INLINE void store_some(double* p, Lanes x, int count) {
    for (int k = 0; k < count; ++k) p[k] = x[k];
}

ARBORA_INLINE void add_terms(Lanes terms, Lanes& highest, Lanes& scaled) {
    const Lanes higher = larger(terms, highest);
    const Lanes reference = higher > none ? higher : Lanes{};
    scaled = scaled * exp_bounded(highest - reference) + exp_bounded(terms - reference);
    highest = higher;
}

}  // namespace

ARBORA_VECTORISED void RunningMaxima::add(const double* terms, double factor, int begin, int end) {
    ARBORA_INDEPENDENT
    for (int k = begin; k < end; ++k) {
        const double term = terms[k] + factor;
        highest_[k] = term > highest_[k] ? term : highest_[k];
    }
}

ARBORA_VECTORISED void RunningLogSums::add(const double* terms, double factor, int begin, int end) {
    if (factor == none) return;
    int k = begin;
    for (; k + lane_count <= end; k += lane_count) {
        Lanes highest = load(highest_ + k), scaled = load(scaled_ + k);
        add_terms(load(terms + k) + factor, highest, scaled);
        store(highest_ + k, highest);
        store(scaled_ + k, scaled);
    }
    if (k == end) return;
    Lanes highest = load_some(highest_ + k, end - k), scaled = load_some(scaled_ + k, end - k);
    add_terms(load_some(terms + k, end - k) + factor, highest, scaled);
    store_some(highest_ + k, highest, end - k);
    store_some(scaled_ + k, scaled, end - k);
}

double RunningLogSums::value(int k) const { return highest_[k] == none ? none : highest_[k] + std::log(scaled_[k]); }

ARBORA_VECTORISED double RunningLogSums::dot(const double* weights, int end) const {
    double reference = none;
    for (int k = 0; k < end; ++k) {
        const double term = weights[k] + highest_[k];
        reference = term > reference ? term : reference;
    }
    if (reference == none) return none;
    double total = 0;
    int k = 0;
    Lanes totals{};
    for (; k + lane_count <= end; k += lane_count)
        totals += load(scaled_ + k) * exp_bounded(load(weights + k) + load(highest_ + k) - reference);
    for (; k < end; ++k) total += scaled_[k] * exp_bounded(weights[k] + highest_[k] - reference);
    return reference + std::log(total + sum_of_lanes(totals));
}

}  // namespace arbora
