#pragma once
#include "solvers/outcome.hpp"

namespace arbora {

struct Ad3Options {
    int iterations = 5000;
    // The relaxation counts as solved when the copies differ by no more than this from their mean, and the multipliers
    // by no more from optimal ones, relative to the scores (root mean squares).
    double tolerance = 1e-9;
    // The penalty of disagreement to begin with; 0 chooses one.
    double penalty = 0;
    // Bounds below this are of no interest: it stops there.
    double cutoff = -std::numeric_limits<double>::infinity();
    // What follows from a part of an assignment, if somebody knows.
    Derivation derive;
};

// The numbers of all copies that gave the lowest bound: where to begin on the same graph with more evidence.
using Multipliers = std::vector<double>;

// Alternating directions (Martins et al. 2011, 2015): copies z_f of the slots of each factor f, their mean u, numbers
// w_f that are a share of the unary scores and a multiplier, and in turn
//
//     z_f = argmax over the convex hull of score_f(z) + w_f z - penalty |z - u|^2 / 2     (`project`)
//     u   = mean z
//     w_f -= relaxation * penalty * (z_f - u)
//
// That solves the linear relaxation in which each factor by itself must be satisfied; beliefs are u. For any w the sum
// of what `best` finds bounds all values from above, which is looked at now and then; assignments come from there and
// from u, rounded. `converged`: the relaxation is solved, or an assignment proved the best.
Outcome ad3(const FactorGraph& graph, const Ad3Options& options, Multipliers* multipliers = nullptr);

}  // namespace arbora
