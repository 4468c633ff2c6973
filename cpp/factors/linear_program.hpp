#pragma once
#include <vector>

#include "factors/graph.hpp"

namespace arbora {

// Maximise costs * x where lows <= x <= highs and row_lows <= rows * x <= row_highs, the rows in compressed form.
struct LinearProgram {
    std::vector<double> costs, lows, highs, row_lows, row_highs, values;
    std::vector<int> starts{0}, columns;
};

// One factor alone: its ports are the first columns, with cost 0.
LinearProgram factor_program(const FactorGroup& group, std::size_t factor, TreeRows tree_rows);

// A whole graph: its slots are the first columns, with their scores as costs and their evidence as bounds; then come
// the auxiliary columns of every factor, in the order of groups and factors.
LinearProgram linear_program(const FactorGraph& graph, TreeRows tree_rows);

// Rows that values of the slots violate although every TreeRows::heads_only row holds (FactorGroup::separate); over the
// slots alone, with no costs.
LinearProgram violated_rows(const FactorGraph& graph, const double* values);

}  // namespace arbora
