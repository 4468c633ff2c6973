#pragma once
#include "factors/graph.hpp"

namespace arbora {

// Changes one variable at a time while that makes the assignment better, leaving out those whose factors are so large
// that to try would cost much. The assignment is valid, with this value. Returns the new value.
double climb(const FactorGraph& graph, Assignment& assignment, double value, Arena& arena);

}  // namespace arbora
