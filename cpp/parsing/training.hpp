#pragma once
#include <vector>

#include "linear/learner.hpp"
#include "parsing/first_order.hpp"
#include "parsing/higher_order.hpp"
#include "parsing/losses.hpp"
#include "parsing/parse.hpp"

namespace arbora {

// Trees to learn from: heads and labels of every word of the encoded sentences, in their order. And tags, if they were
// observed: the place of each among those that the word may have.
struct GoldTrees {
    const int* heads;
    const int* labels;
    const int* tags = nullptr;

    // Those of one sentence, whose words are counted from 1.
    GoldTrees of(const Encoded& encoded, std::size_t sentence) const {
        const auto move = [&](const int* all) { return all ? all + encoded.start(sentence) - 1 : nullptr; };
        return {move(heads), move(labels), move(tags)};
    }
};

struct BatchReport {
    double arc_loss = 0, label_loss = 0;
    std::size_t words = 0, infeasible = 0;
};

struct TrainingOptions {
    LossFamily loss{1, 0};
    TreeKind kind;
    int threads = 1;
    GraphOptions graph{};  // if there are parts of several arcs
};

// Learns a pruner by a batch: a CRF over all arcs.
BatchReport train_pruner(const Templates& templates, const Pruner& pruner, OnlineLearner& learner,
                         const Encoded& encoded, GoldTrees gold, const std::vector<std::size_t>& sentences,
                         const TrainingOptions& options);

// A model without its weights, as it is learned.
struct LearnedModel {
    const Templates& templates;
    const FirstOrder& first_order;
    const HigherOrder& higher;
};

// The loss over trees of one sentence, which is prepared for all but the pruner; adds its gradient to the sum. `gold` are
// those of words 1..n. Throws Infeasible.
double differentiate(const LearnedModel& model, const Prepared& prepared, Weights weights, const std::vector<Arc>& arcs,
                     GoldTrees gold, const TrainingOptions& options, SparseSum& sum);

// Learns a model by a batch; arcs[sentence] are the candidates of that sentence.
BatchReport train_parser(const LearnedModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                         const std::vector<std::vector<Arc>>& arcs, const std::vector<std::size_t>& sentences,
                         const TrainingOptions& options);

// How surprised a model is by gold trees if its scores are multiplied: for every scale the sums of -log P(tree), of
// the second stage's -log P(labels given the tree), and of a joint model's, whose arcs are sums over labels (or hidden
// roles) at the scale `joint`. Where sums over trees are approximate, squared errors of the arcs' probabilities take the place of the first. The
// gold arcs count among the candidates. Sentences with a label that the model does not know (-1), or has
// never seen in that place, are left out.
struct Surprise {
    std::vector<double> trees, labels, joint;
};
Surprise measure_surprise(const Parser& parser, const Encoded& encoded, GoldTrees gold, TreeKind kind,
                          const GraphOptions& graph, const std::vector<double>& scales, double joint, int threads);

}  // namespace arbora
