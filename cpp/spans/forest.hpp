#pragma once
#include <span>
#include <vector>

#include "spans/coarse.hpp"
#include "spans/model.hpp"
#include "support/random.hpp"

namespace arbora {

// Everything that parsing needs, read only. Scores are multiplied by `scale` to make log-probabilities.
struct SpanParser {
    const CoarseModel* coarse;
    ShortWeights coarse_weights;
    Pruning pruning;
    const SpanModel* model;
    ShortWeights weights;
    double scale = 1;
};

// A tree: its nodes that are constituents, parents first, and its log-probability.
struct FoundTree {
    std::vector<SpanNode> nodes;
    double log_probability = 0;
};

// The scored trees of a chart: one sum over them, and all that can be read off it.
class SpanForest {
public:
    // Parses a sentence. If no tree can be made of the nodes that the small model keeps, flat trees are added. Whether
    // there is any tree that the constraints allow.
    bool parse(const SpanParser& parser, const SpanSentence& sentence, std::span<const SpanConstraint> constraints);
    // Trees of given nodes, with the scores of nodes and then of rules. Whether there is any.
    bool set(const SpanGrammar& grammar, int n, std::vector<SpanNode> nodes, const double* leaves);
    // The chart of given nodes alone, without scores.
    const SpanChart& build(const SpanGrammar& grammar, int n, std::vector<SpanNode> nodes);

    const SpanChart& chart() const { return chart_; }
    double log_partition() const { return sums_[chart_.goal()]; }
    // Of nodes, then of rules: how probable it is that a tree has them.
    const std::vector<double>& probabilities();

    FoundTree best();
    std::vector<FoundTree> kbest(int k);
    FoundTree sample(Random& random);
    // The tree with the least expected number of constituents that are wrong or missing: it maximises the sum of 2p - 1
    // over its constituents, one for each label of a chain, where p is the probability that the label is there.
    FoundTree minimum_risk();

private:
    bool sum();
    void add_flat_trees(const CoarseModel& coarse, const CoarseScores& scores,
                        std::span<const SpanConstraint> constraints, std::vector<SpanNode>& nodes) const;
    void find_best();
    FoundTree tree_of(std::vector<int> leaves) const;

    const SpanGrammar* grammar_ = nullptr;
    SpanChart chart_;
    CoarseScores coarse_scores_;
    std::vector<SpanNode> nodes_;
    std::vector<double> leaves_, sums_, bests_, probabilities_;
    bool has_bests_ = false, has_probabilities_ = false;
};

}  // namespace arbora
