#pragma once
#include <vector>

#include "charts/projective_siblings.hpp"
#include "parts/part_graph.hpp"

namespace arbora {

// Exact answers over projective trees, by a chart of siblings and grandparents (charts/projective_siblings.hpp). The
// graph must have been made with GraphShape::joined; of other parts the chart knows nothing (Automata::are_all).

// The best tree's heads of words 1..n, and its score by arcs and automata; -inf if there is none.
double best_projective(const PartGraph& graph, int* heads);

// The k best trees in order.
std::vector<ScoredTree> best_projective_trees(const PartGraph& graph, int k);

// The log-partition and the probability of every arc; if `parts` is not null, of every part of every group, as
// Outcome::parts has them. -inf if there is no tree.
double sum_projective(const PartGraph& graph, std::vector<double>& arcs, std::vector<std::vector<double>>* parts);

}  // namespace arbora
