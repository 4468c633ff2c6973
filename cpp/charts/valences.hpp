#pragma once
#include <vector>

#include "support/random.hpp"
#include "trees/scores.hpp"

namespace arbora {

// The valence model (Klein & Manning 2004) of one sentence of n words, as logarithms.
//     arcs      (n+1) x (n+1): a row per head, a column per modifier, row 0 the root; the diagonal and column 0 are no
//               arcs.
//     valences  (n+1) x 2 x 2 x 2: by head, side (left, right), whether it has a child there (no, yes), and decision
//               (go on, stop).
// Children are generated from the nearest outwards: each costs a decision to go on and its arc, and each side ends with
// a decision to stop. The root decides on its right side if it may have many children; a single root decides nothing.
struct ValenceScores {
    const double* arcs;
    const double* valences;
    int n;
};

struct ValenceTree {
    Heads heads;
    double score;
};

// Projective trees by the valence chart, O(n^3). All check the scores, and throw InvalidScores or Infeasible; a sentence
// without words has one tree, of the score 0.

// Returns the score.
double best_valence_tree(ValenceScores scores, bool single_root, int* heads);

double valence_log_partition(ValenceScores scores, bool single_root);

// The probability of every arc and the expected number of every decision, in the layout of the scores: the gradient of
// the log-partition, which is returned.
double valence_expectations(ValenceScores scores, bool single_root, double* arcs, double* decisions);

// The same of the best tree alone: 1 for its arcs, the numbers of its decisions. Returns its score.
double best_valence_counts(ValenceScores scores, bool single_root, double* arcs, double* decisions);

// The k best trees in order, none twice: O(n^3 + k n log k).
std::vector<ValenceTree> best_valence_trees(ValenceScores scores, bool single_root, int k);

// `count` independent trees, each with its probability.
std::vector<ValenceTree> sample_valence_trees(ValenceScores scores, bool single_root, int count, Random& random);

}  // namespace arbora
