#pragma once
#include <vector>

#include "linear/learner.hpp"
#include "spans/forest.hpp"

namespace arbora {

// The gold nodes of all sentences of a text, parents first: those of sentence s begin at text.first_node(s).

// Learns the small model by a batch of sentences; returns the sum of their losses.
double train_coarse(const CoarseModel& model, OnlineLearner& learner, const SpanText& text, const SpanNode* gold,
                    const std::vector<std::size_t>& sentences, int threads);

// What the small model keeps, and of what: all nodes, gold nodes, and how many of those it loses.
struct PruningReport {
    std::size_t kept = 0, gold = 0, lost = 0;
};
PruningReport measure_pruning(const CoarseModel& model, ShortWeights weights, Pruning pruning, const SpanText& text,
                              const SpanNode* gold, int threads);

// Sets the nodes of the charts of some sentences: those that the small model keeps and the gold ones.
void find_training_nodes(const CoarseModel& model, ShortWeights weights, Pruning pruning, const SpanText& text,
                         const SpanNode* gold, const std::vector<std::size_t>& sentences, int threads,
                         std::vector<std::vector<SpanNode>>& nodes);

// The loss of one sentence; adds its gradient to the sum.
double differentiate(const SpanModel& model, Weights weights, const SpanSentence& sentence,
                     const std::vector<SpanNode>& nodes, const SpanNode* gold, LossFamily family, SparseSum& sum);

// Learns the model of trees by a batch of sentences; returns the sum of their losses.
double train_spans(const SpanModel& model, OnlineLearner& learner, const SpanText& text,
                   const std::vector<std::vector<SpanNode>>& nodes, const SpanNode* gold,
                   const std::vector<std::size_t>& sentences, LossFamily family, int threads);

// What gold trees cost a parser if its scores are multiplied: for every scale the sum of -log P(tree) over the
// sentences whose gold tree is in the chart.
std::vector<double> measure_tree_costs(const SpanParser& parser, const SpanText& text, const SpanNode* gold,
                                       const std::vector<double>& scales, int threads);

}  // namespace arbora
