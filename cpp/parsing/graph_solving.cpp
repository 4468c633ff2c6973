#include "parsing/graph_solving.hpp"

#include <algorithm>
#include <cmath>

#include "parsing/exact_charts.hpp"
#include "parsing/head_propagation.hpp"
#include "parsing/hill_climbing.hpp"
#include "solvers/ad3.hpp"
#include "solvers/belief_propagation.hpp"
#include "solvers/branch_and_bound.hpp"
#include "solvers/dual_decomposition.hpp"

namespace arbora {
namespace {

// A relaxation that is not whole by then seldom becomes so later: AD3 with 500 and with 5,000 iterations proves the same
// trees.
constexpr int most_iterations_before_branching = 100;

Derivation completing(const PartGraph& graph) {
    if (!graph.descent_group()) return nullptr;
    return [&graph](Assignment& assignment) { graph.complete(assignment); };
}

}  // namespace

GraphShape shape_for_best(const GraphOptions& options) {
    return {true, options.constraint, options.solver == GraphSolver::hill_climbing && !options.certify, true};
}

namespace {

Outcome solve_once(const PartGraph& graph, const GraphOptions& options) {
    switch (options.solver) {
        case GraphSolver::belief_propagation: {
            if (options.constraint == TreeConstraint::tree) return propagate_heads(graph, {options.propagations});
            PropagationOptions own;
            own.iterations = options.propagations;
            own.tolerance = 1e-3;
            own.wants_assignment = false;
            return belief_propagation(graph.tagged(), own);
        }
        case GraphSolver::dual_decomposition: {
            DualDecompositionOptions own;
            own.iterations = options.iterations;
            own.derive = completing(graph);
            own.wants_parts = options.outer == OuterSet::relaxation;
            return dual_decomposition(graph.graph(), own);
        }
        case GraphSolver::hill_climbing: {
            Outcome climbed = climb_from_projective(graph);
            if (!options.certify || climbed.infeasible || is_certificate(climbed.value, climbed.upper_bound))
                return climbed;
            GraphOptions own = options;
            own.solver = GraphSolver::dual_decomposition;
            Outcome bounded = solve_once(graph, own);
            if (bounded.value >= climbed.value) return bounded;
            climbed.upper_bound = bounded.upper_bound;
            return climbed;
        }
        default: {
            Ad3Options own;
            own.iterations = options.iterations;
            own.derive = completing(graph);
            return ad3(graph.graph(), own);
        }
    }
}

// Branch and bound, from a tree that is good already.
Outcome prove(const PartGraph& graph, const GraphOptions& options, const Assignment& known) {
    Ad3Options own;
    own.iterations = std::min(options.iterations, most_iterations_before_branching);
    own.derive = completing(graph);
    return exact_ad3(graph.graph(), own, options.nodes, known);
}

}  // namespace

Outcome solve(const PartGraph& graph, const GraphOptions& options) {
    const bool branches = options.nodes && options.solver != GraphSolver::belief_propagation;
    if (branches && options.solver == GraphSolver::ad3)
        return prove(graph, options, climb_from_projective(graph).assignment);
    Outcome found = solve_once(graph, options);
    if (!branches || found.infeasible || is_certificate(found.value, found.upper_bound)) return found;
    Outcome proved = prove(graph, options, found.assignment);
    proved.upper_bound = std::min(proved.upper_bound, found.upper_bound);
    return proved;
}

bool joins_for_sums(const GraphOptions& options) { return options.constraint == TreeConstraint::tree; }

bool sums_exactly(const SentenceParts& parts, TreeKind kind, const GraphOptions& options) {
    if (!kind.projective || !parts.tags.empty() || options.solver == GraphSolver::belief_propagation ||
        options.constraint != TreeConstraint::tree)
        return false;
    for (int k = 0; k < part_kind_count; ++k)
        if (!parts.parts[k].empty() && !is_in_automata(k) && !part_kind(k).sees_descents()) return false;
    return true;
}

Outcome sum(const PartGraph& graph, const GraphOptions& options, bool exactly) {
    if (!exactly) {
        GraphOptions own = options;
        own.solver = GraphSolver::belief_propagation;
        return solve(graph, own);
    }
    Outcome outcome;
    outcome.log_partition = sum_projective(graph, outcome.beliefs, &outcome.parts);
    outcome.infeasible = outcome.log_partition == -INFINITY;
    outcome.converged = true;
    return outcome;
}

}  // namespace arbora
