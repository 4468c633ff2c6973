#pragma once
#include <functional>

#include "solvers/ad3.hpp"

namespace arbora {

// A solver with a bound, as branch and bound uses it: it may begin at the multipliers, leaves those of its lowest bound
// there, and may stop when its bound is below the cutoff.
using BoundingSolver = std::function<Outcome(const FactorGraph&, double cutoff, Multipliers&)>;

// The best assignment, proved: where a relaxation is not whole, a variable that it leaves undecided is decided both
// ways, the most promising node first; what all better assignments have in common is decided before (fixing.hpp). After
// `nodes` nodes it stops and says how far it came: the bound is the highest of what is open. `iterations` adds up all
// nodes; there is an entry a node in the history: how many nodes are open, and the bound. `known`: an assignment to begin
// with; empty if there is none. The better it is, the sooner nodes close.
Outcome branch_and_bound(const FactorGraph& graph, const BoundingSolver& solve, int nodes,
                         const Assignment& known = {});

// The same with AD3 at every node: `options.iterations` at the first, fewer below it, where each begins where its parent
// ended.
Outcome exact_ad3(const FactorGraph& graph, const Ad3Options& options, int nodes, const Assignment& known = {});

}  // namespace arbora
