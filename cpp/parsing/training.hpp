#pragma once
#include <vector>

#include "linear/learner.hpp"
#include "parsing/first_order.hpp"
#include "parsing/losses.hpp"
#include "parsing/pruner.hpp"

namespace arbora {

// Trees to learn from: heads and labels of every word of the encoded sentences, in their order.
struct GoldTrees {
    const int* heads;
    const int* labels;
};

struct BatchReport {
    double arc_loss = 0, label_loss = 0;
    std::size_t words = 0, infeasible = 0;
};

struct TrainingOptions {
    LossFamily loss{1, 0};
    TreeKind kind;
    int threads = 1;
};

// Learns a pruner by a batch: a CRF over all arcs.
BatchReport train_pruner(const Templates& templates, const Pruner& pruner, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                         const std::vector<std::size_t>& sentences, const TrainingOptions& options);

// Learns a first-order model by a batch; arcs[sentence] are the candidates of that sentence.
BatchReport train_first_order(const Templates& templates, const FirstOrder& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                              const std::vector<std::vector<Arc>>& arcs, const std::vector<std::size_t>& sentences,
                              const TrainingOptions& options);

// Lets the learner change the features of these gold trees only: the supported ones.
void support(const Templates& templates, const FirstOrder& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
             const std::vector<std::size_t>& sentences);

}  // namespace arbora
