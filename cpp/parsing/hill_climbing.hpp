#pragma once
#include "parts/part_graph.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

// The best projective tree by an exact chart of siblings and grandparents, then changes of single heads while they help,
// crossing or not (McDonald & Pereira 2006): fast, and proved the best only if trees must be projective and the chart
// sees all parts. Parts that the chart does not know count from there on.
Outcome climb_from_projective(const PartGraph& graph);

// Changes heads of words 1..n, one at a time (or the root for one of its descendants), as long as the score rises; returns
// whether any changed. The tree must have candidate arcs only.
bool climb(const PartGraph& graph, int* heads);

}  // namespace arbora
