#pragma once
#include "solvers/schedules.hpp"

namespace arbora {

// Sum-product belief propagation (Smith & Eisner 2008, sections 3-5): beliefs of variables and parts, the Bethe
// log-partition with its entropies, and an assignment read out from the messages. Exact on graphs without cycles, an
// approximation on others, where it need not come to rest.
Outcome belief_propagation(const FactorGraph& graph, const PropagationOptions& options);

}  // namespace arbora
