#pragma once
#include "trees/scores.hpp"

namespace arbora {

// Sums over all non-projective trees. `range` bounds the scores: without -inf every graph has trees, and
// moderate scores need no scaling. All throw Infeasible.

// log of the sum over trees of exp(score). O(n^3).
double log_partition(ArcScores scores, bool single_root, ScoreRange range);

// Arc probabilities in the layout of the scores; 0 where there is no arc. Returns the log-partition. O(n^3).
double arc_marginals(ArcScores scores, bool single_root, ScoreRange range, double* marginals);

// The entropy of the distribution over trees, in nats. O(n^3).
double tree_entropy(ArcScores scores, bool single_root, ScoreRange range);

// Replaces p by 1 - p for every arc, summed from the column's other arcs where p > 1/2. The diagonal and column 0,
// which are no arcs, become 1.
void complement_columns(double* marginals, int n);

}  // namespace arbora
