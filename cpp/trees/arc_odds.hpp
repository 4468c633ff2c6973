#pragma once
#include "support/arena.hpp"
#include "trees/scores.hpp"

namespace arbora {

// How much speaks for every arc, in the layout of the scores; -inf where there is no arc, +inf where every tree has it.
// Full precision for probabilities near 0 and near 1, and finite wherever some tree has the arc and some other has
// not, whatever the scores. O(n^3). Both return -inf, and write nothing, if there is no tree.

// log p - log(1 - p); returns the log-partition. `range` bounds the scores. Where scores are so large that wide numbers
// do not hold sums over them (1e14 / n), maxima are taken for sums: the difference, n log n at most, is next to nothing
// beside them. Only messages that grow without end come to that.
double arc_log_odds(ArcScores scores, bool single_root, ScoreRange range, double* odds, Arena& arena);

// The score of the best tree with the arc less that of the best without it; returns the score of the best tree.
double arc_max_odds(ArcScores scores, bool single_root, double* odds, Arena& arena);

}  // namespace arbora
