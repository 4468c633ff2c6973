#pragma once
#include "support/arena.hpp"
#include "trees/arc_weights.hpp"
#include "trees/scores.hpp"

namespace arbora {

// Sums over trees in doubles, if they hold them, in the layout of the scores: as odds, or as logarithms of
// probabilities. False if they do not.
enum class Wanted { odds, logs };
bool try_doubles(ArcScores scores, bool single_root, const Shifts& shifts, Wanted wanted, double* result, double& total,
                 Arena& arena);

}  // namespace arbora
