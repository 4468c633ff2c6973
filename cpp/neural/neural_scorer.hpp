// The scores of a batch by a neural model: one scorer more behind the seam.
#pragma once
#include "neural/model.hpp"
#include "neural/states.hpp"
#include "parsing/scorer.hpp"

namespace arbora::neural {

// The scores of arcs, of all pairs of a sentence; labels follow the tree, each by itself. It is a view of the model.
class NeuralScorer : public Scorer {
public:
    NeuralScorer(const NeuralModel& model, States states) : model_(model), states_(std::move(states)) {}

    std::size_t sentences() const override { return states_.sentences(); }
    int length(std::size_t sentence) const override { return states_.length(sentence); }
    ScoreKinds kinds() const override;
    bool may_have_label(int head, int label) const override { return model_.may_have_label(head, label); }
    std::unique_ptr<SentenceScorer> begin(std::size_t sentence) const override;
    std::unique_ptr<Scorer> excerpt(std::size_t sentence, std::span<const int> words) const override {
        return std::make_unique<NeuralScorer>(model_, states_.excerpt(sentence, words));
    }

    const NeuralModel& model() const { return model_; }
    const States& states() const { return states_; }

private:
    const NeuralModel& model_;
    States states_;
};

}  // namespace arbora::neural
