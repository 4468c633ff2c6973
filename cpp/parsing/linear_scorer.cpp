#include "parsing/linear_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "linear/learner.hpp"

namespace arbora {
namespace {

// Leaves a known label the only one; on an arc that the training data never had it on, it counts 0.
void keep_label(double* scores, int labels, int known) {
    const double own = scores[known] == impossible ? 0 : scores[known];
    std::fill(scores, scores + labels, impossible);
    scores[known] = own;
}

// Only the labels of some weight; arcs without any are left out.
void add_labels(const LabelFeatures& features, const Prepared& prepared, std::uint32_t mask,
                const std::vector<Arc>& arcs, const std::vector<double>& gradient, SparseSum& sum) {
    thread_local std::vector<Arc> active;
    thread_local std::vector<float> values;
    const int labels = features.labels();
    active.clear();
    values.clear();
    for (std::size_t a = 0; a < arcs.size(); ++a) {
        const double* row = gradient.data() + a * labels;
        if (std::none_of(row, row + labels, [](double g) { return std::abs(g) >= negligible_gradient; })) continue;
        active.push_back(arcs[a]);
        for (int l = 0; l < labels; ++l)
            values.push_back(std::abs(row[l]) < negligible_gradient ? 0.0f : static_cast<float>(row[l]));
    }
    features.add_gradient(prepared, mask, active, values.data(), sum);
}

}  // namespace

void add_arc_gradient(const ArcFeatures& features, const Prepared& prepared, std::uint32_t mask,
                      const Candidates& candidates, const std::vector<double>& gradient, SparseSum& sum) {
    thread_local std::vector<ArcGradient> arcs;
    arcs.clear();
    const int per_arc = candidates.per_arc();
    for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
        double value = 0;
        for (int l = 0; l < per_arc; ++l) value += gradient[a * per_arc + l];
        if (std::abs(value) >= negligible_gradient)
            arcs.push_back({candidates.arcs[a].head, candidates.arcs[a].modifier, static_cast<float>(value)});
    }
    features.add_gradient(prepared, mask, arcs, sum);
}

ScoreKinds kinds_of(const LinearModel& model) {
    const FirstOrder& own = model.first_order;
    return {own.labels(),     own.has_roles(), own.has_labeler(), model.higher.has_parts(), model.higher.tags().tags(),
            own.tree_scale(), own.confidence()};
}

template <class Number>
LinearSentence<Number>::LinearSentence(const LinearModel& model, WeightTable<Number> weights, const Encoded& encoded,
                                       std::size_t sentence, unsigned sections)
    : model_(model), weights_(weights), encoded_(encoded), sentence_(sentence), scratch_(model.scratch().lease()) {
    scratch_->prepared.set(model.templates, encoded, sentence, sections);
}

template <class Number>
std::vector<Arc> LinearSentence<Number>::choose(Given given, TreeKind kind, const int* also) {
    return model_.pruner.choose(scratch_->prepared, pruner_weights_, given, kind, also);
}

template <class Number>
void LinearSentence<Number>::score(const int* known_labels, Candidates& candidates) {
    model_.first_order.score(scratch_->prepared, weights_, scratch_->space, candidates);
    if (!known_labels || !candidates.labels || model_.first_order.has_roles()) return;
    for (std::size_t a = 0; a < candidates.arcs.size(); ++a)
        if (const int known = known_labels[candidates.arcs[a].modifier]; known >= 0)
            keep_label(candidates.scores.data() + a * candidates.labels, candidates.labels, known);
}

template <class Number>
void LinearSentence<Number>::score_arcs(const std::vector<Arc>& arcs, const int* known_labels, ArcTotal asked,
                                        ArcTotals& result) {
    model_.first_order.score_by_arc(scratch_->prepared, weights_, arcs, known_labels, asked, scratch_->space, result);
}

template <class Number>
int LinearSentence<Number>::best_label(std::size_t arc) const {
    return model_.first_order.best_label(scratch_->space, arc);
}

template <class Number>
void LinearSentence<Number>::label_probabilities(std::size_t arc, double* result) const {
    model_.first_order.label_probabilities(scratch_->space, arc, result);
}

template <class Number>
void LinearSentence<Number>::score_parts(const std::vector<Arc>& arcs, SentenceParts& parts) {
    model_.higher.score(scratch_->prepared, weights_, arcs, parts);
}

template <class Number>
int LinearSentence<Number>::tag_at(int word, int place) const {
    const auto listed = scratch_->prepared.tags(word);
    return listed.empty() ? place : listed[place].tag;
}

template <class Number>
void LinearSentence<Number>::set_tree(const int* heads) {
    scratch_->prepared.set_tree(model_.templates, encoded_, sentence_, heads);
}

template <class Number>
LabelChain LinearSentence<Number>::score_labels(const Family& family, const int* known_labels) {
    const int labels = model_.first_order.labels(), count = static_cast<int>(family.modifiers.size());
    std::vector<double>& unary = scratch_->unary;
    model_.first_order.score_modifiers(scratch_->prepared, weights_, scratch_->space, family, unary);
    for (int i = 0; known_labels && i < count; ++i)
        if (const int known = known_labels[family.modifiers[i]]; known >= 0)
            keep_label(unary.data() + static_cast<std::size_t>(i) * labels, labels, known);
    const bool has_siblings = model_.first_order.labeler().has_siblings();
    return {unary.data(), has_siblings ? score_siblings(family.head).data() : nullptr, count, labels};
}

template <class Number>
const std::vector<double>& LinearSentence<Number>::score_siblings(int head) {
    if constexpr (std::is_same_v<WeightTable<Number>, ShortWeights>)
        if (tables_) return (*tables_)->find(model_.first_order, weights_, scratch_->prepared, scratch_->space, head);
    model_.first_order.score_siblings(scratch_->prepared, weights_, scratch_->space, head, scratch_->siblings);
    return scratch_->siblings;
}

template <class Number>
void LinearSentence<Number>::add_gradient(const Candidates& candidates, const SentenceParts& parts,
                                          const ScoreGradient& gradient) {
    const Prepared& prepared = scratch_->prepared;
    model_.higher.add_gradient(prepared, weights_.mask, parts, gradient.parts, *sum_);
    if (!parts.tags.empty())
        model_.higher.tags().add_gradient(prepared, weights_.mask, candidates.arcs, gradient.tags, *sum_);
    add_arc_gradient(model_.first_order.arcs(), prepared, weights_.mask, candidates, gradient.arcs, *sum_);
    if (const LabelFeatures* rows = model_.first_order.rows())
        add_labels(*rows, prepared, weights_.mask, candidates.arcs, gradient.arcs, *sum_);
}

template <class Number>
void LinearSentence<Number>::add_label_gradient(const Family& family, const std::vector<double>& unary,
                                                const std::vector<double>& siblings) {
    const LabelFeatures& features = model_.first_order.labeler();
    thread_local std::vector<Arc> arcs;
    thread_local std::vector<float> values;
    arcs.clear();
    for (int modifier : family.modifiers) arcs.push_back({family.head, modifier});
    add_labels(features, scratch_->prepared, weights_.mask, arcs, unary, *sum_);
    if (siblings.empty()) return;
    values.clear();
    for (double value : siblings)
        values.push_back(std::abs(value) < negligible_gradient ? 0.0f : static_cast<float>(value));
    features.add_sibling_gradient(scratch_->prepared, weights_.mask, family.head, values.data(), *sum_);
}

template class LinearSentence<float>;
template class LinearSentence<std::int16_t>;

namespace {

struct OwnEncoded {
    Encoded own;
};
struct LinearExcerpt final : OwnEncoded, LinearScorer {
    LinearExcerpt(const LinearParser& parser, Encoded excerpt)
        : OwnEncoded{std::move(excerpt)}, LinearScorer(parser, own) {}
};

}  // namespace

std::unique_ptr<Scorer> LinearScorer::excerpt(std::size_t sentence, std::span<const int> words) const {
    return std::make_unique<LinearExcerpt>(parser_, encoded_.excerpt(sentence, words));
}

std::unique_ptr<SentenceScorer> LinearScorer::begin(std::size_t sentence) const {
    auto result =
        std::make_unique<LinearSentence<std::int16_t>>(parser_.model, parser_.weights, encoded_, sentence, ~0u);
    result->use_pruner(parser_.pruner_weights);
    result->use_tables(parser_.sibling_tables());
    return result;
}

}  // namespace arbora
