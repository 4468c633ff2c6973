#include "spans/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "charts/algorithms.hpp"
#include "linear/learner.hpp"
#include "semirings/log.hpp"
#include "support/interruption.hpp"

namespace arbora {

template <class Wanted, class Body>
void SpanModel::for_features(const SpanSentence& sentence, const SpanChart& chart, std::uint32_t mask, Wanted wanted,
                             Body body) const {
    thread_local std::vector<std::uint64_t> of_span, of_splits;
    thread_local std::vector<int> known;  // the span for which the hashes of a split are there
    const std::size_t width = rules_.size();
    of_splits.resize(width * (sentence.count() + 1));
    known.assign(sentence.count() + 1, -1);
    of_span.resize(nodes_.size());
    for (int node = 0; node < chart.node_count(); ++node) {
        Interruption::heed();
        const auto [start, end, symbol] = chart.nodes()[node];
        const bool is_new = node == 0 || chart.nodes()[node - 1].start != start || chart.nodes()[node - 1].end != end;
        const int span = chart.cell(start, end).first;
        if (is_new)
            for (std::size_t t = 0; t < nodes_.size(); ++t) of_span[t] = nodes_[t].hash(sentence, start, start, end);
        if (wanted(node))
            for (std::uint64_t hash : of_span) body(node, static_cast<std::uint32_t>(hash & mask) + symbol);
        const std::uint64_t parent = grammar_.hash(symbol);
        for (int rule = chart.first_rule(node); rule < chart.first_rule(node + 1); ++rule) {
            const int leaf = chart.score_of_rule(rule);
            if (!wanted(leaf)) continue;
            const SpanNode &left = chart.nodes()[chart.rules()[rule].left],
                           &right = chart.nodes()[chart.rules()[rule].right];
            const int split = left.end;
            std::uint64_t* hashes = of_splits.data() + width * split;
            if (known[split] != span) {
                known[split] = span;
                for (std::size_t t = 0; t < width; ++t) hashes[t] = rules_[t].hash(sentence, start, split, end);
            }
            const std::uint64_t y = symbol_hash(sentence, left), z = symbol_hash(sentence, right);
            const std::uint64_t with_left = combine(parent, y), with_right = combine(parent + 1, z);
            const std::array<std::uint64_t, 4> views{parent, with_left, with_right, combine(with_left, z)};
            for (std::size_t t = 0; t < width; ++t)
                for (RuleView view : rules_[t].views)
                    body(leaf, static_cast<std::uint32_t>(
                                   join_hashes(hashes[t], views[static_cast<std::size_t>(view)]) & mask));
        }
    }
}

template <class Number>
void SpanModel::score(const SpanSentence& sentence, const SpanChart& chart, WeightTable<Number> weights,
                      double* leaves) const {
    std::fill_n(leaves, chart.leaf_count(), 0.0);
    for_features(
        sentence, chart, weights.mask, [](int) { return true; },
        [&](int leaf, std::uint32_t index) { leaves[leaf] += static_cast<double>(weights.data[index]); });
    for (int leaf = 0; leaf < chart.leaf_count(); ++leaf) leaves[leaf] *= weights.step;
}

template void SpanModel::score(const SpanSentence&, const SpanChart&, WeightTable<float>, double*) const;
template void SpanModel::score(const SpanSentence&, const SpanChart&, WeightTable<std::int16_t>, double*) const;

void SpanModel::add_gradient(const SpanSentence& sentence, const SpanChart& chart, std::uint32_t mask,
                             const double* leaves, SparseSum& sum) const {
    for_features(
        sentence, chart, mask, [&](int leaf) { return std::abs(leaves[leaf]) >= negligible_gradient; },
        [&](int leaf, std::uint32_t index) { sum.add(index, static_cast<float>(leaves[leaf])); });
}

namespace {

// The leaves of the gold tree: its nodes, and the rules between them.
std::vector<int> gold_leaves(const SpanChart& chart, const SpanNode* gold) {
    const int count = 2 * chart.words() - 1;
    std::vector<int> leaves;
    for (int i = 0; i < count; ++i) {
        leaves.push_back(chart.find(gold[i]));
        if (leaves.back() < 0) throw std::invalid_argument("a gold node is not in the chart");
    }
    // Parents come first: the left child follows its parent, the right one follows all of the left.
    for (int i = 0; i < count; ++i) {
        if (gold[i].end - gold[i].start == 1) continue;
        const int left = i + 1, right = left < count ? left + 2 * (gold[left].end - gold[left].start) - 1 : count;
        if (right >= count) throw std::invalid_argument("the gold nodes are no tree");
        int rule = chart.first_rule(leaves[i]);
        const int last = chart.first_rule(leaves[i] + 1);
        while (rule < last && (chart.rules()[rule].left != leaves[left] || chart.rules()[rule].right != leaves[right]))
            ++rule;
        if (rule == last) throw std::invalid_argument("the gold nodes are no tree of the grammar");
        leaves.push_back(chart.score_of_rule(rule));
    }
    return leaves;
}

}  // namespace

double span_loss(const SpanChart& chart, const double* leaves, const SpanNode* gold, LossFamily family,
                 std::vector<double>& gradient) {
    const int count = chart.leaf_count();
    const bool is_best = std::isinf(family.beta);
    const double beta = is_best ? 1 : family.beta;
    thread_local std::vector<double> values, probabilities;
    values.resize(chart.item_count());
    for (int leaf = 0; leaf < count; ++leaf)
        values[leaf] = beta * (leaves[leaf] + (leaf < chart.node_count() ? family.gamma : 0));
    const std::vector<int> right = gold_leaves(chart, gold);
    double score = 0;
    for (int leaf : right) {
        score += leaves[leaf];
        values[leaf] = beta * leaves[leaf];  // no cost
    }
    chart.set_ones(values.data(), LogSemiring::one);
    gradient.assign(count, 0);
    if (is_best) {
        inside<MaxSemiring>(chart, values.data());
        best_derivation(chart, values.data(), [&](int leaf) {
            if (leaf < count) gradient[leaf] += 1;
        });
    } else {
        inside<LogSemiring>(chart, values.data());
        probabilities.resize(chart.item_count());
        posteriors(chart, values.data(), probabilities.data());
        std::copy_n(probabilities.begin(), count, gradient.begin());
    }
    for (int leaf : right) gradient[leaf] -= 1;
    return std::max(values[chart.goal()] / beta - score, 0.0);  // below 0 only by rounding
}

}  // namespace arbora
