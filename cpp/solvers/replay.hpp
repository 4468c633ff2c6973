#pragma once
#include <vector>

#include "factors/graph.hpp"

namespace arbora {

// Seconds of the propagations of each group in a run of sum-product, by the serial schedule: within the run, and again
// one group at a time, each with the messages that it met there. The numbers are the same, so that what is different is
// what groups do to each other. All iterations together, the fastest of `rounds`.
struct Replay {
    std::vector<double> together, alone;
};
Replay replay_propagation(const FactorGraph& graph, int iterations, int rounds);

}  // namespace arbora
