#pragma once
#include <vector>

#include "trees/scores.hpp"

namespace arbora {

// Labels along the modifiers of one head: score = sum of unary[i][label i] + siblings[label i-1][label i], with a
// start before the first and an end after the last. `unary` is count x labels, `siblings` (labels+1) x (labels+1):
// row `labels` is the start, column `labels` the end; null means 0 throughout. -inf in `unary` forbids a label.
struct LabelChain {
    const double* unary;
    const double* siblings;
    int count, labels;

    int states() const { return labels + 1; }
    double unary_at(int i, int label) const { return unary[static_cast<std::size_t>(i) * labels + label]; }
    double sibling_at(int previous, int label) const {
        return siblings ? siblings[static_cast<std::size_t>(previous) * states() + label] : 0;
    }
};

double chain_score(const LabelChain& chain, const int* labels);

// The best labels, the first of equals; returns their score. O(count labels^2).
double best_chain(const LabelChain& chain, int* labels);

// log of the sum over all labellings of exp(score). Fills probabilities[i][label], and, if not null,
// adds the expected counts of neighbours to pairs[previous][label]. O(count labels^2).
double sum_chain(const LabelChain& chain, double* probabilities, double* pairs);

struct ChainLabels {
    std::vector<int> labels;
    double score;
};
// The k best labellings in order, none twice, but for those whose score is below `least`; fewer where there are fewer possible
// ones. O(count labels (labels + k log k)) at most; little more than the best one takes, if few are asked for.
std::vector<ChainLabels> best_chains(const LabelChain& chain, int k, double least = impossible);

}  // namespace arbora
