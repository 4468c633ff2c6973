// Trees and probabilities where parts of several arcs have scores: by solvers on a graph.
#pragma once
#include <cstdint>

#include "parts/part_graph.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

// How the best tree is found, or probabilities: they all see the same graph.
enum class GraphSolver : std::uint8_t { belief_propagation, dual_decomposition, ad3, hill_climbing };

// What a loss that takes the worst alone learns from where that is no tree (Martins et al. 2010, outer approximations).
enum class OuterSet : std::uint8_t {
    none,        // the best tree that the solver found
    relaxation,  // where dual decomposition proves no tree, the mean of what factors chose, which may be fractions
    automata,    // in any case what head automata choose by themselves (automata_alone.hpp)
};

struct GraphOptions {
    GraphSolver solver = GraphSolver::dual_decomposition;
    int iterations = 200;   // at most, of solvers that maximise
    int propagations = 10;  // at most, of belief propagation
    TreeConstraint constraint = TreeConstraint::tree;
    // Whether a bound is wanted of solvers that have none: dual decomposition follows, and the better tree counts.
    bool certify = false;
    // A model that has learned to score what is in an outer set below the gold tree has fewer gaps.
    OuterSet outer = OuterSet::none;
    // Of branch and bound, at most, where the solver has no proof; 0: there is no branching.
    int nodes = 0;
};

// Whether sums over trees are found by an exact chart: trees are projective, it knows all parts, words have no tags, and
// nobody asked for belief propagation.
bool sums_exactly(const SentenceParts& parts, TreeKind kind, const GraphOptions& options);

// Whether a graph for sums must be joined (GraphShape): with a tree, heads are variables of many values; with weaker
// constraints, arcs are binary variables.
bool joins_for_sums(const GraphOptions& options);

// Probabilities of arcs and of the groups' parts, and the log-partition, which is that of Bethe unless it is exact.
Outcome sum(const PartGraph& graph, const GraphOptions& options, bool exactly);

// The graph that a solver that maximises wants.
GraphShape shape_for_best(const GraphOptions& options);

// Solves a graph of parts, whose words have no tags unless it is by belief propagation. Solvers that maximise give an
// assignment, belief propagation beliefs; `upper_bound` and `value` tell whether the assignment is proved.
Outcome solve(const PartGraph& graph, const GraphOptions& options);

}  // namespace arbora
