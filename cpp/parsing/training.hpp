#pragma once
#include <vector>

#include "linear/learner.hpp"
#include "parsing/graph_solving.hpp"
#include "parsing/linear_model.hpp"
#include "parsing/losses.hpp"

namespace arbora {

// Trees to learn from: heads and labels of every word of the encoded sentences, in their order. And tags, if they were
// observed: the place of each among those that the word may have.
struct GoldTrees {
    const int* heads;
    const int* labels;
    const int* tags = nullptr;

    // Those of one sentence, whose words are counted from 1.
    GoldTree of(const Encoded& encoded, std::size_t sentence) const {
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
BatchReport train_pruner(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                         const std::vector<std::size_t>& sentences, const TrainingOptions& options);

// Learns a model by a batch; arcs[sentence] are the candidates of that sentence.
BatchReport train_parser(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                         const std::vector<std::vector<Arc>>& arcs, const std::vector<std::size_t>& sentences,
                         const TrainingOptions& options);

}  // namespace arbora
