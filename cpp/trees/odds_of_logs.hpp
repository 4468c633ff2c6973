#pragma once

namespace arbora {

// The last step from trees to odds of arcs, in place and in the layout of the scores: from the logarithms of the arcs'
// probabilities, and from the scores of the best trees with each arc. Off the diagonal and column 0, -inf is no tree.
void log_odds_of_logs(double* logs, int n);
void max_odds_of_logs(double* scores, int n);

}  // namespace arbora
