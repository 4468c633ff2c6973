#pragma once
#include "solvers/schedules.hpp"

namespace arbora {

// Max-product: max-marginals in place of sums, and an assignment read out from them. The beliefs are the max-marginals
// scaled to sum to one, so that above 1/2 means "better true". The assignment is a best one on graphs without cycles.
Outcome max_product(const FactorGraph& graph, const PropagationOptions& options);

struct AnnealingOptions {
    int steps = 10;                  // temperatures, the first of which is 1
    double lowest = 0.05;            // the last one; each is the same multiple of the one before
    PropagationOptions propagation;  // at each temperature
};

// Sum-product on scores divided by a temperature that falls, each time from the messages of the one before: the limit
// is max-product, but what is far from best has been weighed out rather than cut off. Keeps the best assignment that
// any temperature gave; beliefs are those of the last one.
Outcome anneal(const FactorGraph& graph, const AnnealingOptions& options);

}  // namespace arbora
