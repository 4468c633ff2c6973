#pragma once
#include <vector>

#include "support/random.hpp"
#include "trees/kbest.hpp"
#include "trees/labels.hpp"
#include "trees/scores.hpp"

namespace arbora {

// Projective trees by Eisner's chart, O(n^3). All throw Infeasible.

void best_projective_tree(ArcScores scores, bool single_root, int* heads);

double projective_log_partition(ArcScores scores, bool single_root);

// Arc probabilities in the layout of the scores; returns the log-partition.
double projective_marginals(ArcScores scores, bool single_root, double* marginals);

double projective_entropy(ArcScores scores, bool single_root);

// The k best labelled trees in order, none twice: O(n^3 + L n^2 + k n log k).
std::vector<LabelledTree> best_projective_trees(LabelledScores scores, bool single_root, int k);

// `count` independent trees, each with its probability.
std::vector<Heads> sample_projective_trees(ArcScores scores, bool single_root, int count, Random& random);

}  // namespace arbora
