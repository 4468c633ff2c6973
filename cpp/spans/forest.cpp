#include "spans/forest.hpp"

#include <algorithm>
#include <limits>

#include "charts/algorithms.hpp"
#include "charts/kbest.hpp"
#include "semirings/log.hpp"

namespace arbora {

bool SpanForest::parse(const SpanParser& parser, const SpanSentence& sentence,
                       std::span<const SpanConstraint> constraints) {
    grammar_ = &parser.model->grammar();
    const int n = sentence.count();
    parser.coarse->score(sentence, parser.coarse_weights, coarse_scores_);
    parser.coarse->forbid(constraints, coarse_scores_);
    parser.coarse->probable_nodes(coarse_scores_, parser.pruning, nodes_);
    const auto score = [&] {
        chart_.build(*grammar_, n, nodes_);
        leaves_.resize(chart_.leaf_count());
        parser.model->score(sentence, chart_, parser.weights, leaves_.data());
        for (double& leaf : leaves_) leaf *= parser.scale;
        return sum();
    };
    if (score()) return true;
    add_flat_trees(*parser.coarse, coarse_scores_, constraints, nodes_);
    return score();
}

bool SpanForest::set(const SpanGrammar& grammar, int n, std::vector<SpanNode> nodes, const double* leaves) {
    build(grammar, n, std::move(nodes));
    leaves_.assign(leaves, leaves + chart_.leaf_count());
    return sum();
}

const SpanChart& SpanForest::build(const SpanGrammar& grammar, int n, std::vector<SpanNode> nodes) {
    grammar_ = &grammar;
    chart_.build(grammar, n, std::move(nodes));
    return chart_;
}

bool SpanForest::sum() {
    has_bests_ = has_probabilities_ = false;
    sums_.resize(chart_.item_count());
    std::copy(leaves_.begin(), leaves_.end(), sums_.begin());
    chart_.set_ones(sums_.data(), LogSemiring::one);
    inside<LogSemiring>(chart_, sums_.data());
    return log_partition() != LogSemiring::zero;
}

// Trees in which only the whole sentence and what is required are constituents.
void SpanForest::add_flat_trees(const CoarseModel& coarse, const CoarseScores& scores,
                                std::span<const SpanConstraint> constraints, std::vector<SpanNode>& nodes) const {
    constexpr float never = -std::numeric_limits<float>::infinity();
    const SpanGrammar& grammar = coarse.grammar();
    const int n = scores.n;
    const auto add = [&](int start, int end, int symbol) {
        if (symbol < grammar.first_symbol(end - start) ||
            symbol >= grammar.last_symbol(end - start, end - start == n) || scores.row(start, end)[symbol] == never)
            return;
        const SpanNode node{start, end, symbol};
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    };
    const auto add_flat = [&](int start, int end) {
        const float* row = scores.row(start, end);
        int best = -1;
        for (int s = 1; s <= grammar.complete(); ++s) {
            if (row[s] == never) continue;
            const bool has_rest = grammar.intermediate_of(s) >= 0;
            const bool best_has_rest = best >= 0 && grammar.intermediate_of(best) >= 0;
            if (best < 0 || (has_rest && !best_has_rest) || (has_rest == best_has_rest && row[s] > row[best])) best = s;
        }
        if (best < 0) return;
        add(start, end, best);
        for (int split = start + 1; split < end; ++split)
            for (int symbol : {grammar.intermediate_of(best), best})
                grammar.grows_right() ? add(split, end, symbol) : add(start, split, symbol);
    };
    for (int word = 0; word < n; ++word) {
        const float* row = scores.row(word, word + 1);
        add(word, word + 1, static_cast<int>(std::max_element(row, row + grammar.complete() + 1) - row));
        add(word, word + 1, SpanGrammar::word);
    }
    if (n > 1) add_flat(0, n);
    for (const SpanConstraint& constraint : constraints)
        if (constraint.is_required && constraint.end > constraint.start + 1) add_flat(constraint.start, constraint.end);
}

const std::vector<double>& SpanForest::probabilities() {
    if (!has_probabilities_) {
        probabilities_.resize(chart_.item_count());
        posteriors(chart_, sums_.data(), probabilities_.data());
        probabilities_.resize(chart_.leaf_count());
        has_probabilities_ = true;
    }
    return probabilities_;
}

void SpanForest::find_best() {
    if (has_bests_) return;
    bests_.resize(chart_.item_count());
    std::copy(leaves_.begin(), leaves_.end(), bests_.begin());
    chart_.set_ones(bests_.data(), MaxSemiring::one);
    inside<MaxSemiring>(chart_, bests_.data());
    has_bests_ = true;
}

FoundTree SpanForest::tree_of(std::vector<int> leaves) const {
    FoundTree tree;
    std::sort(leaves.begin(), leaves.end());  // scores are added in one order, whatever the way to the tree
    for (int leaf : leaves) {
        if (leaf >= chart_.leaf_count()) continue;
        tree.log_probability += leaves_[leaf];
        if (leaf >= chart_.node_count()) continue;
        const SpanNode& node = chart_.nodes()[leaf];
        if (node.symbol != SpanGrammar::word && !grammar_->is_intermediate(node.symbol)) tree.nodes.push_back(node);
    }
    tree.log_probability -= log_partition();
    std::sort(tree.nodes.begin(), tree.nodes.end(), [](const SpanNode& a, const SpanNode& b) {
        return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    return tree;
}

FoundTree SpanForest::best() {
    find_best();
    std::vector<int> leaves;
    best_derivation(chart_, bests_.data(), [&](int leaf) { leaves.push_back(leaf); });
    return tree_of(std::move(leaves));
}

std::vector<FoundTree> SpanForest::kbest(int k) {
    if (k < 1) return {};
    if (k == 1) return {best()};
    find_best();
    KBest ranking(chart_, bests_.data(),
                  [this](int item, int rank) { return rank ? MaxSemiring::zero : bests_[item]; });
    std::vector<FoundTree> found;
    for (int rank = 0; rank < k && ranking.has(rank); ++rank) {
        std::vector<int> leaves;
        ranking.walk(rank, [&](int leaf, int) { leaves.push_back(leaf); });
        found.push_back(tree_of(std::move(leaves)));
    }
    return found;
}

FoundTree SpanForest::sample(Random& random) {
    std::vector<int> leaves;
    sample_derivation(chart_, sums_.data(), random, [&](int leaf) { leaves.push_back(leaf); });
    return tree_of(std::move(leaves));
}

FoundTree SpanForest::minimum_risk() {
    const std::vector<double>& p = probabilities();
    std::vector<double> values(chart_.item_count()), of_labels(grammar_->labels());
    // Nodes over the same words follow each other.
    for (int first = 0, last; first < chart_.node_count(); first = last) {
        const SpanNode& node = chart_.nodes()[first];
        last = chart_.cell(node.start, node.end).last;
        std::fill(of_labels.begin(), of_labels.end(), 0.0);
        const auto for_labels = [&](int i, auto each) {
            if (grammar_->is_intermediate(chart_.nodes()[i].symbol)) return;
            const std::vector<int>& chain = grammar_->chain(chart_.nodes()[i].symbol);
            for (auto label = chain.begin(); label != chain.end(); ++label)
                if (std::find(chain.begin(), label, *label) == label) each(*label);
        };
        for (int i = first; i < last; ++i) for_labels(i, [&](int label) { of_labels[label] += p[i]; });
        for (int i = first; i < last; ++i) {
            values[i] = p[i] > 0 ? 0 : MaxSemiring::zero;  // what is impossible stays so
            for_labels(i, [&](int label) { values[i] += 2 * of_labels[label] - 1; });
        }
    }
    for (int leaf = chart_.node_count(); leaf < chart_.leaf_count(); ++leaf)
        values[leaf] = p[leaf] > 0 ? 0 : MaxSemiring::zero;
    chart_.set_ones(values.data(), MaxSemiring::one);
    inside<MaxSemiring>(chart_, values.data());
    std::vector<int> leaves;
    best_derivation(chart_, values.data(), [&](int leaf) { leaves.push_back(leaf); });
    return tree_of(std::move(leaves));
}

}  // namespace arbora
