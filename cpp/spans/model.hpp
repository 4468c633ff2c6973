#pragma once
#include <vector>

#include "linear/weights.hpp"
#include "parsing/losses.hpp"
#include "spans/chart.hpp"
#include "spans/templates.hpp"

namespace arbora {

// The model of trees: nodes are scored by templates of spans, joined with their symbol; rules by templates of rules,
// which see the split, joined with what their views say (Hall, Durrett & Klein 2014).
//
// The weight of a node's feature with hash h lies at (h & mask) + symbol, so tables have padding() more at the end.
class SpanModel {
public:
    SpanModel(const SpanGrammar& grammar, std::vector<SpanTemplate> nodes, std::vector<SpanTemplate> rules)
        : grammar_(grammar), nodes_(std::move(nodes)), rules_(std::move(rules)) {}

    int padding() const { return grammar_.symbols(); }
    const SpanGrammar& grammar() const { return grammar_; }

    // The scores of the chart's nodes, then those of its rules.
    template <class Number>
    void score(const SpanSentence& sentence, const SpanChart& chart, WeightTable<Number> weights, double* leaves) const;

    // The gradient by leaves becomes one by weights.
    void add_gradient(const SpanSentence& sentence, const SpanChart& chart, std::uint32_t mask, const double* leaves,
                      SparseSum& sum) const;

private:
    // body(leaf, index of a weight) for all features of leaves for which wanted(leaf) holds.
    template <class Wanted, class Body>
    void for_features(const SpanSentence& sentence, const SpanChart& chart, std::uint32_t mask, Wanted wanted,
                      Body body) const;
    std::uint64_t symbol_hash(const SpanSentence& sentence, const SpanNode& node) const {
        return node.symbol == SpanGrammar::word ? sentence.tag(node.start) : grammar_.hash(node.symbol);
    }

    SpanGrammar grammar_;
    std::vector<SpanTemplate> nodes_, rules_;
};

// The loss of scores at the gold nodes, all of which the chart must have, with 1 for each wrong node as the cost; fills
// the gradient by leaves. Throws std::invalid_argument if the gold nodes are no tree of the chart.
double span_loss(const SpanChart& chart, const double* leaves, const SpanNode* gold, LossFamily family,
                 std::vector<double>& gradient);

}  // namespace arbora
