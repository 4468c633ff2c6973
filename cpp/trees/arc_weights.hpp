#pragma once
#include <span>
#include <vector>

#include "support/cells.hpp"
#include "trees/scores.hpp"

namespace arbora {

// From scores to the weights that Elimination takes: weight = exp(score - shift of its modifier), so that a modifier's
// best head weighs 1.

struct Shifts {
    std::vector<double> column;  // per modifier
    double root_row = 0;         // a single root's arcs are used once, so their row may be shifted too
    bool none = false;           // all are 0
};

// None if the scores are moderate.
void choose_shifts(ArcScores scores, bool single_root, bool moderate, Shifts& shifts);
// What the shifts take from the score of every tree.
double total_shift(const Shifts& shifts);

// Rows of weights: the tokens' first, the root's last; a column per token. The diagonal is left as it comes: nobody
// reads it.
void fill_weights(ArcScores scores, const Shifts& shifts, double* w, std::size_t ld);
void fill_weights(ArcScores scores, const Shifts& shifts, WideCells w, std::size_t ld);

double log_product(std::span<const double> factors);
double log_product(std::span<const Wide> factors);

}  // namespace arbora
