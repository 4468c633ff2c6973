#include "spans/coarse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "charts/algorithms.hpp"
#include "linear/learner.hpp"
#include "semirings/log.hpp"
#include "spans/brackets.hpp"
#include "support/interruption.hpp"
#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

template <class Number>
ARBORA_VECTORISED void add_row(const Number* weights, float step, int count, float* row) {
    for (int s = 0; s < count; ++s) row[s] += step * static_cast<float>(weights[s]);
}

ARBORA_VECTORISED void add_rows(const float* a, const float* b, int count, float* row) {
    for (int s = 0; s < count; ++s) row[s] = a[s] + b[s];
}

// log sum exp; -inf of nothing.
ARBORA_VECTORISED double log_sum(const float* row, int first, int last) {
    float top = never;
    for (int s = first; s < last; ++s) top = row[s] > top ? row[s] : top;
    if (top == never) return never;
    Lanes total{};
    int s = first;
    for (; s + lane_count <= last; s += lane_count)
        total += exp_bounded(Lanes{row[s], row[s + 1], row[s + 2], row[s + 3]} - static_cast<double>(top));
    double sum = sum_of_lanes(total);
    for (; s < last; ++s) sum += exp_bounded(static_cast<double>(row[s]) - top);
    return top + std::log(sum);
}

// Keeps the nodes of the greatest values, in their order; of equals, the first.
void keep_best(const std::vector<double>& values, std::size_t most, std::vector<SpanNode>& nodes) {
    std::vector<std::size_t> order(nodes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::nth_element(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
        [&](std::size_t a, std::size_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
    order.resize(most);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < most; ++i) nodes[i] = nodes[order[i]];
    nodes.resize(most);
}

}  // namespace

CoarseModel::CoarseModel(const SpanGrammar& grammar, std::vector<SpanTemplate> templates)
    : grammar_(grammar), stride_((grammar.symbols() + 7) / 8 * 8) {
    for (SpanTemplate& made : templates)
        (made.is_of_start() ? of_starts_ : made.is_of_end() ? of_ends_ : of_spans_).push_back(std::move(made));
}

template <class Number>
void CoarseModel::score(const SpanSentence& sentence, WeightTable<Number> weights, CoarseScores& scores) const {
    const int n = sentence.count();
    scores.n = n;
    scores.stride = stride_;
    scores.rows.resize(scores.place(n, n + 1));
    thread_local std::vector<float> starts, ends;
    starts.assign(static_cast<std::size_t>(n) * stride_, 0);
    ends.assign(static_cast<std::size_t>(n) * stride_, 0);
    const auto add = [&](const SpanTemplate& made, int start, int end, float* row) {
        const std::uint64_t hash = made.hash(sentence, start, start, end);
        add_row(weights.data + (hash & weights.mask), weights.step, stride_, row);
    };
    for (int word = 0; word < n; ++word) {
        for (const SpanTemplate& made : of_starts_) add(made, word, word + 1, starts.data() + word * stride_);
        for (const SpanTemplate& made : of_ends_) add(made, word, word + 1, ends.data() + word * stride_);
    }
    for (int start = 0; start < n; ++start) {
        Interruption::heed();
        for (int end = start + 1; end <= n; ++end) {
            float* row = scores.row(start, end);
            add_rows(starts.data() + start * stride_, ends.data() + (end - 1) * stride_, stride_, row);
            for (const SpanTemplate& made : of_spans_) add(made, start, end, row);
        }
    }
}

template void CoarseModel::score(const SpanSentence&, WeightTable<float>, CoarseScores&) const;
template void CoarseModel::score(const SpanSentence&, WeightTable<std::int16_t>, CoarseScores&) const;

double CoarseModel::sum_spans(const CoarseScores& scores, std::vector<double>& totals,
                              std::vector<double>& probabilities) const {
    const int n = scores.n;
    const BracketChart chart(n);
    totals.resize(chart.item_count());
    chart.set_one(totals.data(), LogSemiring::one);
    for (int start = 0; start < n; ++start)
        for (int end = start + 1; end <= n; ++end)
            totals[chart.score(start, end)] = log_sum(scores.row(start, end), grammar_.first_symbol(end - start),
                                                      grammar_.last_symbol(end - start, end - start == n));
    inside<LogSemiring>(chart, totals.data());
    const double total = totals[chart.goal()];
    if (total == LogSemiring::zero) return total;
    probabilities.resize(chart.item_count());
    posteriors(chart, totals.data(), probabilities.data());
    return total;
}

// The gradient by the scores of nodes, span by span: each(start, end, symbols that change, gradient by symbol).
template <class Each>
void CoarseModel::for_gradients(const CoarseScores& scores, const SpanNode* gold, const std::vector<double>& totals,
                                const std::vector<double>& probabilities, Each each) const {
    const int n = scores.n;
    std::vector<int> symbols(static_cast<std::size_t>(n) * (n + 1), -1), changed;
    for (int node = 0; node < 2 * n - 1; ++node)
        symbols[static_cast<std::size_t>(gold[node].start) * (n + 1) + gold[node].end] = gold[node].symbol;
    std::vector<float> gradient(stride_);
    for (int start = 0; start < n; ++start)
        for (int end = start + 1; end <= n; ++end) {
            const std::size_t cell = static_cast<std::size_t>(start) * (n + 1) + end;
            const double p = probabilities[cell];
            const int observed = symbols[cell];
            if (p < negligible_gradient && observed < 0) continue;
            const float* row = scores.row(start, end);
            changed.clear();
            for (int s = grammar_.first_symbol(end - start), last = grammar_.last_symbol(end - start, end - start == n);
                 s < last; ++s) {
                gradient[s] = static_cast<float>(p * exp_bounded(row[s] - totals[cell]) - (s == observed));
                if (std::abs(gradient[s]) >= negligible_gradient) changed.push_back(s);
            }
            each(start, end, changed, gradient.data());
        }
}

double CoarseModel::differentiate(const SpanSentence& sentence, Weights weights, const SpanNode* gold,
                                  SparseSum& sum) const {
    thread_local CoarseScores scores;
    thread_local std::vector<double> totals, probabilities;
    thread_local std::vector<float> starts, ends;
    const int n = sentence.count();
    score(sentence, weights, scores);
    const double total = sum_spans(scores, totals, probabilities);
    const auto scatter = [&](const std::vector<SpanTemplate>& templates, int start, int end,
                             const std::vector<int>& changed, const float* values) {
        for (const SpanTemplate& made : templates) {
            const auto at = static_cast<std::uint32_t>(made.hash(sentence, start, start, end) & weights.mask);
            for (int s : changed) sum.add(at + s, values[s]);
        }
    };
    starts.assign(static_cast<std::size_t>(n) * stride_, 0);
    ends.assign(static_cast<std::size_t>(n) * stride_, 0);
    for_gradients(scores, gold, totals, probabilities,
                  [&](int start, int end, const std::vector<int>& changed, const float* values) {
                      for (int s : changed) {
                          starts[start * stride_ + s] += values[s];
                          ends[(end - 1) * stride_ + s] += values[s];
                      }
                      scatter(of_spans_, start, end, changed, values);
                  });
    std::vector<int> changed;
    for (int word = 0; word < n; ++word)
        for (const bool at_start : {true, false}) {
            const float* values = (at_start ? starts : ends).data() + word * stride_;
            changed.clear();
            for (int s = 0; s < grammar_.symbols(); ++s)
                if (values[s] != 0) changed.push_back(s);
            scatter(at_start ? of_starts_ : of_ends_, word, word + 1, changed, values);
        }
    double right = 0;
    for (int node = 0; node < 2 * n - 1; ++node)
        right += scores.row(gold[node].start, gold[node].end)[gold[node].symbol];
    return total - right;
}

void CoarseModel::probable_nodes(const CoarseScores& scores, Pruning pruning, std::vector<SpanNode>& nodes) const {
    thread_local std::vector<double> totals, probabilities, of_nodes;
    nodes.clear();
    of_nodes.clear();
    if (sum_spans(scores, totals, probabilities) == LogSemiring::zero) return;
    const int n = scores.n;
    for (int start = 0; start < n; ++start)
        for (int end = start + 1; end <= n; ++end) {
            const std::size_t cell = static_cast<std::size_t>(start) * (n + 1) + end;
            const double p = probabilities[cell];
            if (p < pruning.threshold || p == 0) continue;
            const float* row = scores.row(start, end);
            const double least = pruning.threshold > 0 ? totals[cell] + std::log(pruning.threshold / p) : never;
            for (int s = grammar_.first_symbol(end - start), last = grammar_.last_symbol(end - start, end - start == n);
                 s < last; ++s)
                if (row[s] >= least && row[s] != never) {
                    nodes.push_back({start, end, s});
                    of_nodes.push_back(std::log(p) + row[s] - totals[cell]);
                }
        }
    const std::size_t most = static_cast<std::size_t>(pruning.most) * n;
    if (most > 0 && nodes.size() > most) keep_best(of_nodes, most, nodes);
}

void CoarseModel::forbid(std::span<const SpanConstraint> constraints, CoarseScores& scores) const {
    const int n = scores.n;
    for (const SpanConstraint& constraint : constraints) {
        float* own = scores.row(constraint.start, constraint.end);
        for (int s = 0; s < grammar_.symbols(); ++s)
            if (!constraint.allowed[s]) own[s] = never;
        if (!constraint.is_required) continue;
        for (int start = 0; start < n; ++start)
            for (int end = start + 1; end <= n; ++end) {
                const bool crosses = (start < constraint.start && constraint.start < end && end < constraint.end) ||
                                     (constraint.start < start && start < constraint.end && constraint.end < end);
                if (crosses) std::fill_n(scores.row(start, end), stride_, never);
            }
    }
}

}  // namespace arbora
