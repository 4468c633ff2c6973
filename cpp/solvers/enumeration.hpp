#pragma once
#include "solvers/outcome.hpp"

namespace arbora {

// Everything by going through all assignments: exact, and the twin of the other solvers. Throws std::invalid_argument
// if there are more than `most` assignments that evidence allows.
Outcome enumerate(const FactorGraph& graph, double most);

}  // namespace arbora
