#pragma once
#include "parts/part_graph.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

struct HeadPropagationOptions {
    int iterations = 10;      // at most
    double tolerance = 1e-5;  // at rest when no probability changes by more
};

// Sum-product belief propagation (Smith & Eisner 2008) in which the head of a word is one variable with a value for each
// candidate arc, instead of a binary variable for each arc. Everybody knows then that a word has one head, so that a
// tree and automata that both demand it do not count it twice, and one automaton for each head can score siblings and
// grandparents together. Tags of words are variables beside them, and so are binary ones that follow the arcs. Factors
// speak in turn, the tree last. The graph must have a tree as its constraint.
//
// Fills beliefs (probabilities of all slots), parts, log_partition (that of Bethe), converged, iterations, infeasible.
Outcome propagate_heads(const PartGraph& graph, const HeadPropagationOptions& options);

}  // namespace arbora
