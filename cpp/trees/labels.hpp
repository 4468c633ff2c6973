#pragma once
#include <vector>

#include "support/random.hpp"
#include "trees/scores.hpp"

namespace arbora {

// Scores of labelled arcs, `labels` for each cell of an (n+1) x (n+1) table. Given the arc, labels are independent
// of the tree, so trees are computed on arcs and labels shared out afterwards.
struct LabelledScores {
    const double* data;
    int n;
    int labels;

    const double* cell(int head, int modifier) const {
        return data + (static_cast<std::size_t>(head) * (n + 1) + modifier) * labels;
    }
};

// Arc scores: the best label's. O(L n^2).
void max_over_labels(LabelledScores scores, double* arcs);
// Arc scores: the log of the sum over labels. O(L n^2).
void sum_over_labels(LabelledScores scores, double* arcs);
// The first label of the highest score.
int best_label(const double* cell, int labels);
// A label drawn with its probability given the arc.
int sample_label(const double* cell, int labels, double log_sum, Random& random);
// P(arc, label) = P(arc) exp(score - log of the sum over labels).
void share_among_labels(LabelledScores scores, const double* arcs, const double* marginals, double* result);
// The entropy of an arc's label, given the arc and the log of the sum over its labels.
double label_entropy(const double* cell, int labels, double log_sum);
// 1 - P(arc, label) = (1 - P(arc)) + P(arc) P(another label | arc), without cancellation.
void complement_among_labels(LabelledScores scores, const double* arcs, const double* marginals,
                             const double* complements, double* result);

}  // namespace arbora
