#pragma once
#include <functional>

#include "solvers/ad3.hpp"

namespace arbora {

// A solver with a bound, as branch and bound uses it: it may begin at the multipliers, leaves its own there, and may
// stop when its bound is below the cutoff.
using BoundingSolver = std::function<Outcome(const FactorGraph&, double cutoff, Multipliers&)>;

// The best assignment, proved: where a relaxation is not whole, a variable that it leaves undecided is decided both
// ways, the most promising node first. After `nodes` nodes it stops and says how far it came: the bound is the highest
// of what is open. `iterations` adds up all nodes; there is an entry a node in the history: how many nodes are open,
// and the bound.
Outcome branch_and_bound(const FactorGraph& graph, const BoundingSolver& solve, int nodes);

}  // namespace arbora
