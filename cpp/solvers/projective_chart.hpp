#pragma once
#include "solvers/outcome.hpp"

namespace arbora {

// Everything about projective trees with scores of arcs, of bigrams of modifiers and of grandparents, by a dynamic
// program: exact, O(n^3), with grandparents O(n^4). It takes graphs of one ProjectiveTree and of any ChildSequences,
// GrandSiblings and Pairs on arcs of which one ends where the other begins, all over the same arcs: a factor on a side
// of a head sees every arc there that is possible. Variables that no factor sees may be there too. Throws
// std::invalid_argument for other graphs, with what it found.
//
// Probabilities, parts and the log-partition only `with_sums`; beliefs are the best assignment's otherwise. The k best
// trees are ranked, variables that no factor sees being at their best.
Outcome solve_by_projective_chart(const FactorGraph& graph, bool with_sums, int k);

}  // namespace arbora
