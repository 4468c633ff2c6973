#pragma once
#include <optional>

#include "parsing/linear_model.hpp"
#include "parsing/scorer.hpp"

namespace arbora {

ScoreKinds kinds_of(const LinearModel& model);

// The scores of a sentence by a linear model, with the weights that are learned, or those that a parser has.
template <class Number>
class LinearSentence final : public SentenceScorer {
public:
    // Prepares the sentence for the templates of some sections (bits).
    LinearSentence(const LinearModel& model, WeightTable<Number> weights, const Encoded& encoded, std::size_t sentence,
                   unsigned sections);

    // What else it can use: weights to choose arcs by, tables that others left, and a place for gradients.
    void use_pruner(ShortWeights weights) { pruner_weights_ = weights; }
    void use_tables(Pool<SiblingTables>& tables) { tables_.emplace(tables.lease()); }
    void add_gradients_to(SparseSum& sum) { sum_ = &sum; }

    std::vector<Arc> choose(Given given, TreeKind kind, const int* also) override;
    void score(const int* known_labels, Candidates& candidates) override;
    void score_arcs(const std::vector<Arc>& arcs, const int* known_labels, ArcTotal asked, ArcTotals& result) override;
    int best_label(std::size_t arc) const override;
    void label_probabilities(std::size_t arc, double* result) const override;
    void score_parts(const std::vector<Arc>& arcs, SentenceParts& parts) override;
    int tag_at(int word, int place) const override;
    void set_tree(const int* heads) override;
    LabelChain score_labels(const Family& family, const int* known_labels) override;
    void add_gradient(const Candidates& candidates, const SentenceParts& parts, const ScoreGradient& gradient) override;
    void add_label_gradient(const Family& family, const std::vector<double>& unary,
                            const std::vector<double>& siblings) override;

private:
    const std::vector<double>& score_siblings(int head);

    const LinearModel& model_;
    WeightTable<Number> weights_;
    const Encoded& encoded_;
    std::size_t sentence_;
    Pool<LinearModel::Scratch>::Lease scratch_;
    ShortWeights pruner_weights_{};
    std::optional<Pool<SiblingTables>::Lease> tables_;
    SparseSum* sum_ = nullptr;
};

// The scores of encoded sentences by a parser's weights. It is a view of both.
class LinearScorer : public Scorer {
public:
    LinearScorer(const LinearParser& parser, const Encoded& encoded) : parser_(parser), encoded_(encoded) {}

    std::size_t sentences() const override { return encoded_.sentences(); }
    int length(std::size_t sentence) const override { return encoded_.length(sentence); }
    ScoreKinds kinds() const override { return kinds_of(parser_.model); }
    bool may_have_label(int head, int label) const override {
        return parser_.model.first_order.may_have_label(head, label);
    }
    std::unique_ptr<SentenceScorer> begin(std::size_t sentence) const override;
    std::unique_ptr<Scorer> excerpt(std::size_t sentence, std::span<const int> words) const override;

private:
    const LinearParser& parser_;
    const Encoded& encoded_;
};

// What arcs score alone add to the gradient of weights; what is below 1e-3 is left out.
void add_arc_gradient(const ArcFeatures& features, const Prepared& prepared, std::uint32_t mask,
                      const Candidates& candidates, const std::vector<double>& gradient, SparseSum& sum);

}  // namespace arbora
