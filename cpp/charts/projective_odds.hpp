#pragma once
#include "support/arena.hpp"
#include "trees/scores.hpp"

namespace arbora {

// Projective counterparts of trees/arc_odds.hpp and of find_best_tree, by Eisner's chart; O(n^3).

double projective_log_odds(ArcScores scores, bool single_root, double* odds, Arena& arena);

double projective_max_odds(ArcScores scores, bool single_root, double* odds, Arena& arena);

bool find_best_projective_tree(ArcScores scores, bool single_root, int* heads, Arena& arena);

}  // namespace arbora
