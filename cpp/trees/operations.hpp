#pragma once
#include <cstdint>
#include <vector>

#include "trees/kbest.hpp"
#include "trees/scores.hpp"

namespace arbora {

// One sentence's scores as they come in: (n+1) x (n+1) x labels, or (n+1) x (n+1) where labels is 0.
struct SentenceScores {
    const double* data;
    int n;
    int labels;

    std::size_t size() const { return static_cast<std::size_t>(n + 1) * (n + 1) * (labels ? labels : 1); }
};

// What can be computed about the trees of a sentence, for every kind of tree, labelled or not. All check the scores
// and throw InvalidScores or Infeasible.

struct TreeRef {
    int* heads;   // n + 1
    int* labels;  // n + 1, or null where there are no labels
    double score;
};

void find_best(SentenceScores sentence, TreeKind kind, TreeRef& tree);
// The tree with the most expected right arcs, which is its score; right means head and label if so wanted.
void find_least_risk(SentenceScores sentence, TreeKind kind, bool labelled, TreeRef& tree);
double find_log_partition(SentenceScores sentence, TreeKind kind);
double find_entropy(SentenceScores sentence, TreeKind kind);
// In the layout of the scores; 1 - p instead of p if `complement`. Returns the log-partition.
double find_marginals(SentenceScores sentence, TreeKind kind, bool complement, double* marginals);
std::vector<LabelledTree> find_kbest(SentenceScores sentence, TreeKind kind, int k);
std::vector<LabelledTree> draw_samples(SentenceScores sentence, TreeKind kind, int count, std::uint64_t seed,
                                       std::uint64_t stream);

}  // namespace arbora
