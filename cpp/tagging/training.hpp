#pragma once
#include <vector>

#include "linear/learner.hpp"
#include "tagging/stage.hpp"
#include "tagging/text.hpp"

namespace arbora {

// The loss of parsing/losses.hpp.
struct StageLoss {
    double beta, gamma;
};

// The loss of a stage at the gold labels of one sentence of a text, in which words have the atoms that earlier stages
// should find; adds its gradient to the sum. `gold` has the label of every word of the whole text.
double differentiate(const Stage& stage, Weights weights, const TagText& text, std::size_t sentence, const int* gold,
                     StageLoss loss, SparseSum& sum);

// Learns a stage by a batch of sentences; returns the sum of their losses.
double train_stage(const Stage& stage, OnlineLearner& learner, const TagText& text, const int* gold,
                   const std::vector<std::size_t>& sentences, StageLoss loss, int threads);

// What gold labels cost a stage if its scores are multiplied: for every scale the sum of -log P(label) over
// the words whose gold label (-1: there is none) is a candidate.
std::vector<double> measure_gold_costs(const Stage& stage, ShortWeights weights, const TagText& text, const int* gold,
                                       const std::vector<double>& scales, int threads);

}  // namespace arbora
