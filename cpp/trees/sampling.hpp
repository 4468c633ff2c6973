#pragma once
#include <vector>

#include "support/random.hpp"
#include "trees/scores.hpp"

namespace arbora {

// `count` independent non-projective trees, each with its probability. Throws Infeasible.
//
// Wilson's loop-erased random walks (1996), which are fast unless the walk is caught in a cycle it can hardly leave.
// A walk that takes too long is given up (how long it takes is independent of the tree it would give, so nothing is
// biased); the head of the token where it was caught is drawn from its exact marginal, and the walk starts again.
std::vector<Heads> sample_trees(ArcScores scores, bool single_root, ScoreRange range, int count, Random& random);

}  // namespace arbora
