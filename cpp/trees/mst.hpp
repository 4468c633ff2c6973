#pragma once
#include "trees/scores.hpp"

namespace arbora {

// Throws InvalidScores if there is nan or +inf anywhere.
ScoreRange check_scores(const double* scores, std::size_t count);

// The best non-projective tree, O(n^2). Throws Infeasible.
void best_tree(ArcScores scores, bool single_root, int* heads);

}  // namespace arbora
