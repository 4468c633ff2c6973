#include "charts/projective.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "charts/algorithms.hpp"
#include "charts/eisner.hpp"
#include "charts/kbest.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "trees/feasibility.hpp"

namespace arbora {
namespace {

double best_value(const EisnerChart& chart, ArcScores scores, std::vector<double>& values) {
    values.resize(chart.item_count());
    chart.set_leaves<MaxSemiring>(scores, values.data());
    inside<MaxSemiring>(chart, values.data());
    return values[chart.goal()];
}

// Heads from the arcs among the leaves of a derivation.
struct HeadReader {
    int n;
    int* heads;
    void operator()(int item) const {
        if (item < (n + 1) * (n + 1)) heads[item % (n + 1)] = item / (n + 1);
    }
};

// The tokens whose possible heads together exclude every projective tree: an irreducible set, found by freeing one
// token after the other and keeping it free as long as there still is no tree.
std::vector<int> conflicting_tokens(ArcScores scores, bool single_root) {
    const EisnerChart chart(scores.n, single_root);
    const int width = scores.width();
    std::vector<double> values;
    std::vector<double> arcs(scores.data, scores.data + static_cast<std::size_t>(width) * width);
    for (double& score : arcs) score = score == impossible ? impossible : 0;
    std::vector<int> tokens;
    for (int m = 1; m <= scores.n; ++m) {
        std::vector<double> column(width);
        for (int h = 0; h < width; ++h) column[h] = std::exchange(arcs[h * width + m], 0);
        if (best_value(chart, {arcs.data(), scores.n}, values) == impossible) continue;
        tokens.push_back(m);
        for (int h = 0; h < width; ++h) arcs[h * width + m] = column[h];
    }
    return tokens;
}

[[noreturn]] void throw_no_projective_tree(ArcScores scores, bool single_root) {
    bool connected = single_root ? !root_candidates(scores).empty() : all_reachable(scores);
    if (!connected) throw_infeasible(scores, single_root);
    constexpr int patience = 150;  // tokens; the search takes n charts
    if (scores.n > patience) throw Infeasible("the possible arcs leave no projective tree");
    throw Infeasible("the possible heads of the tokens " + list_tokens(conflicting_tokens(scores, single_root)) +
                     " leave no projective tree");
}

// Scores less those of the best tree's arcs, column by column: the best tree then has the score 0, and logarithms of
// sums stay near 0 where it matters, so that scores of 1e6 lose no digits.
class ShiftedChart {
public:
    ShiftedChart(ArcScores scores, bool single_root) : chart(scores.n, single_root), shift(scores.width(), 0) {
        const std::size_t width = scores.width();
        Heads heads(width, -1);
        if (best_value(chart, scores, values) == impossible) throw_no_projective_tree(scores, single_root);
        best_derivation(chart, values.data(), HeadReader{scores.n, heads.data()});
        std::vector<double> shifted(scores.data, scores.data + width * width);
        long double sum = 0;
        for (int m = 1; m <= scores.n; ++m) sum += shift[m] = scores(heads[m], m);
        for (std::size_t h = 0; h < width; ++h)
            for (std::size_t m = 0; m < width; ++m) shifted[h * width + m] -= shift[m];
        total_shift = sum;
        chart.set_leaves<LogSemiring>({shifted.data(), scores.n}, values.data());
        inside<LogSemiring>(chart, values.data());
    }

    double log_partition() const { return static_cast<double>(total_shift + values[chart.goal()]); }

    EisnerChart chart;
    std::vector<double> values, shift;
    long double total_shift;
};

}  // namespace

void best_projective_tree(ArcScores scores, bool single_root, int* heads) {
    heads[0] = -1;
    if (scores.n == 0) return;
    const EisnerChart chart(scores.n, single_root);
    thread_local std::vector<double> values;
    if (best_value(chart, scores, values) == impossible) throw_no_projective_tree(scores, single_root);
    best_derivation(chart, values.data(), HeadReader{scores.n, heads});
}

double projective_log_partition(ArcScores scores, bool single_root) {
    return scores.n == 0 ? 0 : ShiftedChart(scores, single_root).log_partition();
}

double projective_marginals(ArcScores scores, bool single_root, double* marginals) {
    const std::size_t cells = static_cast<std::size_t>(scores.width()) * scores.width();
    std::fill_n(marginals, cells, 0.0);
    if (scores.n == 0) return 0;
    const ShiftedChart shifted(scores, single_root);
    thread_local std::vector<double> probabilities;
    probabilities.resize(shifted.chart.item_count());
    posteriors(shifted.chart, shifted.values.data(), probabilities.data());
    for (std::size_t c = 0; c < cells; ++c) marginals[c] = std::min(probabilities[c], 1.0);
    return shifted.log_partition();
}

double projective_entropy(ArcScores scores, bool single_root) {
    if (scores.n == 0) return 0;
    const ShiftedChart shifted(scores, single_root);
    std::vector<double> probabilities(shifted.chart.item_count());
    posteriors(shifted.chart, shifted.values.data(), probabilities.data());
    return derivation_entropy(shifted.chart, shifted.values.data(), probabilities.data());
}

std::vector<LabelledTree> best_projective_trees(LabelledScores scores, bool single_root, int k) {
    const int n = scores.n, width = n + 1;
    if (n == 0) return {LabelledTree{{-1}, {-1}, 0}};
    const EisnerChart chart(n, single_root);
    std::vector<double> values, arcs(static_cast<std::size_t>(width) * width);
    max_over_labels(scores, arcs.data());
    if (best_value(chart, {arcs.data(), n}, values) == impossible)
        throw_no_projective_tree({arcs.data(), n}, single_root);

    // Labels of an arc from the best to the worst, sorted when the arc is first asked for.
    std::vector<std::vector<int>> order(arcs.size());
    auto label = [&](int arc, int rank) {
        auto& labels = order[arc];
        if (labels.empty()) {
            const double* cell = scores.data + static_cast<std::size_t>(arc) * scores.labels;
            labels.resize(scores.labels);
            std::iota(labels.begin(), labels.end(), 0);
            std::stable_sort(labels.begin(), labels.end(), [cell](int a, int b) { return cell[a] > cell[b]; });
        }
        return labels[rank];
    };
    auto leaf_score = [&](int item, int rank) {
        if (!chart.is_arc(item)) return rank == 0 ? values[item] : impossible;
        if (rank == 0) return values[item];
        if (rank >= scores.labels) return impossible;
        return scores.data[static_cast<std::size_t>(item) * scores.labels + label(item, rank)];
    };
    KBest kbest(chart, values.data(), leaf_score);
    std::vector<LabelledTree> trees;
    for (int rank = 0; rank < k && kbest.has(rank); ++rank) {
        LabelledTree tree{Heads(width, -1), std::vector<int>(width, -1), 0};
        kbest.walk(rank, [&](int item, int label_rank) {
            if (!chart.is_arc(item)) return;
            tree.heads[item % width] = item / width;
            tree.labels[item % width] = label(item, label_rank);
        });
        tree.score = tree_score(scores, tree);
        trees.push_back(std::move(tree));
    }
    sort_by_score(trees);
    return trees;
}

std::vector<Heads> sample_projective_trees(ArcScores scores, bool single_root, int count, Random& random) {
    std::vector<Heads> trees(count, Heads(scores.width(), -1));
    if (scores.n == 0) return trees;
    const ShiftedChart shifted(scores, single_root);
    for (auto& heads : trees)
        sample_derivation(shifted.chart, shifted.values.data(), random, HeadReader{scores.n, heads.data()});
    return trees;
}

}  // namespace arbora
