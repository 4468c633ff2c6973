#pragma once
#include <vector>

#include "factors/candidate_arcs.hpp"

namespace arbora {

// Sets of words that the values of the arcs (one for each port) do not enter enough: those of the arcs into the set
// add up to less than 1 - tolerance. Each is given by the ports of its entering arcs. If some set is violated, one is
// found: for every word the smallest one around it, by a maximum flow from the root to it.
std::vector<std::vector<int>> violated_cuts(const CandidateArcs& arcs, const double* values, double tolerance = 1e-7);

}  // namespace arbora
