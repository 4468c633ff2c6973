#pragma once
#include <vector>

#include "trees/labels.hpp"
#include "trees/scores.hpp"

namespace arbora {

// A tree with its labels; labels[0] is -1, and all are 0 where there is one label only.
struct LabelledTree {
    Heads heads;
    std::vector<int> labels;
    double score;
};

// The sum of a labelled tree's arc scores.
double tree_score(LabelledScores scores, const LabelledTree& tree);

// Puts trees whose scores were known only up to rounding into the order of their sums.
void sort_by_score(std::vector<LabelledTree>& trees);

// The k best non-projective labelled trees in order, none twice; O(k (n^2 + L n)). Throws Infeasible.
std::vector<LabelledTree> best_trees(LabelledScores scores, bool single_root, int k);

}  // namespace arbora
