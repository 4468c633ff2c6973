#pragma once
#include "solvers/outcome.hpp"
#include "solvers/steps.hpp"

namespace arbora {

struct DualDecompositionOptions {
    int iterations = 5000;
    // How much of the unary scores structures (trees) get where other factors see the variables too.
    double beta = 0.001;
    // Solve a factor again only if its multipliers have changed.
    bool lazy = true;
    DualStepRule steps = DualStepRule::level;
    // What follows from a part of an assignment, if somebody knows.
    Derivation derive;
    // Whether parts are wanted also where there is no certificate: then what factors chose, as a mean like that of the
    // beliefs.
    bool wants_parts = false;
};

// Dual decomposition by the subgradient method (Koo et al. 2010, sections 4 and 5, 7.4 and 7.5, appendix A). Each
// factor f is solved on copies z_f of its slots; multipliers, which sum to 0 over the copies of a slot, make them
// agree:
//
//     dual(lambda) = sum_f max over z_f of score_f(z_f) + (share of the unary scores + lambda_f) z_f
//     lambda_f -= 2 alpha (z_f - mean z)
//
// for two copies that is the paper's u += alpha (z - y). Its rule for alpha is DualStepRule::decreasing, with delta = the
// first dual value minus the value of the first assignment. The other one needs a third of the iterations or less.
//
// The lowest dual value is the upper bound; if the value of the best assignment that structures named attains it, as it
// does where all copies agree, that assignment is certainly the best. beliefs: the assignment then, else the copies'
// mean over the last iterations, if all are made no less than half: it comes near to the relaxation's solution. `converged`: certain, or steps have become so small that the bound is at rest.
Outcome dual_decomposition(const FactorGraph& graph, const DualDecompositionOptions& options);

}  // namespace arbora
