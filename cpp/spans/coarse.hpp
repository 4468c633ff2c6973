#pragma once
#include <span>
#include <vector>

#include "linear/weights.hpp"
#include "spans/grammar.hpp"
#include "spans/templates.hpp"

namespace arbora {

// What a user demands of one span: which symbols it may have and, if it is required, that nothing crosses it, so that
// every tree has it.
struct SpanConstraint {
    int start, end;
    bool is_required;
    std::vector<std::uint8_t> allowed;  // 0 or 1 for every symbol
};

// Which nodes stay: those that are at least so probable and, if they are more than `most` for each word (0: any
// number), the most probable of them. So time and memory stay within bounds if the small model knows nothing of a
// sentence.
struct Pruning {
    double threshold;
    int most = 0;
};

// Scores of all symbols of all spans, a row of stride() each.
struct CoarseScores {
    int n = 0, stride = 0;
    std::vector<float> rows;

    std::size_t place(int start, int end) const {
        return (static_cast<std::size_t>(start) * n - static_cast<std::size_t>(start) * (start - 1) / 2 +
                (end - start - 1)) *
               stride;
    }
    float* row(int start, int end) { return rows.data() + place(start, end); }
    const float* row(int start, int end) const { return rows.data() + place(start, end); }
};

// The small model: a tree scores the sum of its nodes, each by itself, so symbols are independent given the spans. It
// finds which nodes are worth the attention of the other.
//
// The weight of a feature with hash h for symbol s lies at (h & mask) + s, so tables have symbols() more at the end.
class CoarseModel {
public:
    CoarseModel(const SpanGrammar& grammar, std::vector<SpanTemplate> templates);

    int padding() const { return stride_; }
    const SpanGrammar& grammar() const { return grammar_; }

    template <class Number>
    void score(const SpanSentence& sentence, WeightTable<Number> weights, CoarseScores& scores) const;

    // Minus the log-probability of the gold nodes; adds its gradient to the sum.
    double differentiate(const SpanSentence& sentence, Weights weights, const SpanNode* gold, SparseSum& sum) const;

    // Nodes that are probable enough. -inf in scores is impossible; there may be no tree at all: then none are.
    void probable_nodes(const CoarseScores& scores, Pruning pruning, std::vector<SpanNode>& nodes) const;

    // Makes impossible what constraints, and lengths of spans, forbid.
    void forbid(std::span<const SpanConstraint> constraints, CoarseScores& scores) const;

private:
    template <class Each>
    void for_gradients(const CoarseScores& scores, const SpanNode* gold, const std::vector<double>& totals,
                       const std::vector<double>& probabilities, Each each) const;
    // Sums over symbols for each span, into the leaves of a BracketChart; then the probabilities of spans.
    double sum_spans(const CoarseScores& scores, std::vector<double>& totals, std::vector<double>& probabilities) const;

    SpanGrammar grammar_;
    std::vector<SpanTemplate> of_starts_, of_ends_, of_spans_;
    int stride_;
};

}  // namespace arbora
