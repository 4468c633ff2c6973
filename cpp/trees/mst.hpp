#pragma once
#include "trees/scores.hpp"

namespace arbora {

// The range of some scores; its lowest is nan if there is any nan.
ScoreRange find_range(const double* scores, std::size_t count);

// Throws InvalidScores if there is nan or +inf anywhere.
ScoreRange check_scores(const double* scores, std::size_t count);

// The best non-projective tree, O(n^2). Throws Infeasible.
void best_tree(ArcScores scores, bool single_root, int* heads);
// The same; false if there is none.
bool find_best_tree(ArcScores scores, bool single_root, int* heads);

// Whether the heads of n tokens form a tree from the root, with one root arc if so wanted. `mark`: n + 1 of scratch.
bool is_tree(const int* heads, int n, bool single_root, int* mark);

}  // namespace arbora
