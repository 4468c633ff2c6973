#include "charts/valences.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "charts/algorithms.hpp"
#include "charts/kbest.hpp"
#include "charts/projective.hpp"
#include "charts/valence_chart.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/limits.hpp"
#include "trees/mst.hpp"

namespace arbora {
namespace {

using Side = ValenceChart::Side;

std::size_t arc_cells(ValenceScores scores) { return static_cast<std::size_t>(scores.n + 1) * (scores.n + 1); }
std::size_t decision_cells(ValenceScores scores) { return static_cast<std::size_t>(scores.n + 1) * 8; }
int decision_cell(int head, int side, int has_child, int decision) {
    return ((head * 2 + side) * 2 + has_child) * 2 + decision;
}

// Whether a head decides on a side at all.
bool has_side(int head, int side, bool single_root) { return head > 0 || (side == Side::right && !single_root); }

void check_valence_scores(ValenceScores scores) {
    check_scores(scores.arcs, arc_cells(scores));
    check_scores(scores.valences, decision_cells(scores));
}

// The same for sums, in which scores must not be too large. The diagonal and column 0 are no arcs.
void check_valences_for_sums(ValenceScores scores) {
    check_valence_scores(scores);
    const auto refuse = [] {
        throw InvalidScores("a score is beyond 1e10 or -1e10, too large for sums; use -inf for what is impossible");
    };
    if (any_beyond(scores.valences, decision_cells(scores), score_limit)) refuse();
    if (!any_beyond(scores.arcs, arc_cells(scores), score_limit)) return;
    for (int h = 0; h <= scores.n; ++h)
        for (int m = 1; m <= scores.n; ++m)
            if (h != m && any_beyond(scores.arcs + h * (scores.n + 1) + m, 1, score_limit)) refuse();
}

// The decisions of a tree as cells of the table of valences, -1 where there is none to take.
struct TreeDecisions {
    std::vector<int> before;  // to go on, by the child that came of it
    std::vector<int> last;    // to stop, by head and side

    void read(const int* heads, int n, bool single_root) {
        before.assign(n + 1, -1);
        last.assign(2 * (n + 1), -1);
        std::vector<char> has_child(2 * (n + 1), 0);
        const auto add = [&](int m, int side) {
            char& some = has_child[heads[m] * 2 + side];
            if (has_side(heads[m], side, single_root))
                before[m] = decision_cell(heads[m], side, some, ValenceChart::go_on);
            some = 1;
        };
        for (int m = 1; m <= n; ++m)
            if (heads[m] < m) add(m, Side::right);
        for (int m = n; m >= 1; --m)
            if (heads[m] > m) add(m, Side::left);
        for (int h = 0; h <= n; ++h)
            for (int side : {Side::left, Side::right})
                if (has_side(h, side, single_root))
                    last[h * 2 + side] = decision_cell(h, side, has_child[h * 2 + side], ValenceChart::stop);
    }
};

double valence_tree_score(ValenceScores scores, const int* heads, const TreeDecisions& decisions) {
    long double total = 0;
    for (int m = 1; m <= scores.n; ++m) total += scores.arcs[heads[m] * (scores.n + 1) + m];
    for (const auto* cells : {&decisions.before, &decisions.last})
        for (int cell : *cells)
            if (cell >= 0) total += scores.valences[cell];
    return static_cast<double>(total);
}

double valence_tree_score(ValenceScores scores, const Heads& heads, bool single_root) {
    TreeDecisions decisions;
    decisions.read(heads.data(), scores.n, single_root);
    return valence_tree_score(scores, heads.data(), decisions);
}

// Heads from the arcs among the leaves of a derivation.
struct ValenceHeadReader {
    const ValenceChart& chart;
    int* heads;
    void operator()(int item) const {
        if (chart.is_arc(item)) heads[chart.modifier_of(item)] = chart.head_of(item);
    }
};

[[noreturn]] void throw_no_valence_tree(ValenceScores scores, bool single_root) {
    for (int h = 0; h <= scores.n; ++h)
        for (int side : {Side::left, Side::right}) {
            if (!has_side(h, side, single_root)) continue;
            // The root, where it decides, has a child in every tree.
            bool stops = scores.valences[decision_cell(h, side, 1, ValenceChart::stop)] != impossible;
            if (h > 0) stops |= scores.valences[decision_cell(h, side, 0, ValenceChart::stop)] != impossible;
            if (stops) continue;
            const std::string who = h == 0 ? "the root" : "token " + std::to_string(h);
            throw Infeasible(who + " can never stop on its " + (side == Side::left ? "left" : "right"));
        }
    Heads heads(scores.n + 1);
    best_projective_tree({scores.arcs, scores.n}, single_root, heads.data());  // throws if it is the arcs alone
    throw Infeasible("the possible arcs and decisions together leave no projective tree");
}

// Max-semiring insides; throws if there is no tree.
void fill_best_valences(const ValenceChart& chart, ValenceScores scores, bool single_root,
                        std::vector<double>& values) {
    values.resize(chart.item_count());
    chart.set_leaves<MaxSemiring>(scores.arcs, scores.valences, values.data());
    inside<MaxSemiring>(chart, values.data());
    if (values[chart.goal()] == impossible) throw_no_valence_tree(scores, single_root);
}

// Log-semiring insides of scores less those of the best tree: every word's arcs less its best arc and the decision
// before it, every side's stops less its best. The best tree then has the score 0, and logarithms of sums stay near 0
// where it matters.
struct ShiftedValences {
    ValenceChart chart;
    std::vector<double> values, arcs, valences;
    Heads heads;
    TreeDecisions best;
    long double total_shift = 0;

    void fill(ValenceScores scores, bool single_root) {
        const int n = scores.n, width = n + 1;
        chart = ValenceChart(n, single_root);
        fill_best_valences(chart, scores, single_root, values);
        heads.assign(width, -1);
        best_derivation(chart, values.data(), ValenceHeadReader{chart, heads.data()});
        best.read(heads.data(), n, single_root);
        arcs.assign(scores.arcs, scores.arcs + arc_cells(scores));
        valences.assign(scores.valences, scores.valences + decision_cells(scores));
        total_shift = 0;
        std::vector<double> shift(width, 0);
        for (int m = 1; m <= n; ++m) {
            shift[m] = scores.arcs[heads[m] * width + m];
            if (best.before[m] >= 0) shift[m] += scores.valences[best.before[m]];
            total_shift += shift[m];
        }
        for (int h = 0; h < width; ++h)
            for (int m = 1; m < width; ++m) arcs[h * width + m] -= shift[m];
        for (int cell : best.last) {
            if (cell < 0) continue;
            const double stop = scores.valences[cell];
            const int childless = cell & ~2;  // has_child is the second bit of a cell
            valences[childless] -= stop;
            valences[childless | 2] -= stop;
            total_shift += stop;
        }
        chart.set_leaves<LogSemiring>(arcs.data(), valences.data(), values.data());
        inside<LogSemiring>(chart, values.data());
    }

    double log_partition() const { return static_cast<double>(total_shift + values[chart.goal()]); }
};

// One of each thread, so that its memory is used again.
ShiftedValences& shifted_valences(ValenceScores scores, bool single_root) {
    thread_local ShiftedValences shifted;
    shifted.fill(scores, single_root);
    return shifted;
}

}  // namespace

double best_valence_tree(ValenceScores scores, bool single_root, int* heads) {
    check_valence_scores(scores);
    heads[0] = -1;
    if (scores.n == 0) return 0;
    const ValenceChart chart(scores.n, single_root);
    thread_local std::vector<double> values;
    thread_local TreeDecisions decisions;
    fill_best_valences(chart, scores, single_root, values);
    best_derivation(chart, values.data(), ValenceHeadReader{chart, heads});
    decisions.read(heads, scores.n, single_root);
    return valence_tree_score(scores, heads, decisions);
}

double valence_log_partition(ValenceScores scores, bool single_root) {
    check_valences_for_sums(scores);
    return scores.n == 0 ? 0 : shifted_valences(scores, single_root).log_partition();
}

double valence_expectations(ValenceScores scores, bool single_root, double* arcs, double* decisions) {
    check_valences_for_sums(scores);
    std::fill_n(arcs, arc_cells(scores), 0.0);
    std::fill_n(decisions, decision_cells(scores), 0.0);
    if (scores.n == 0) return 0;
    const ShiftedValences& shifted = shifted_valences(scores, single_root);
    const ValenceChart& chart = shifted.chart;
    thread_local std::vector<double> probabilities;
    probabilities.resize(chart.item_count());
    posteriors(chart, shifted.values.data(), probabilities.data());
    for (int h = 0; h <= scores.n; ++h) {
        double* row = arcs + static_cast<std::size_t>(h) * (scores.n + 1);
        for (int m = 1; m <= scores.n; ++m)
            if (h != m) row[m] = std::min(probabilities[chart.arc(h, m)], 1.0);
        for (int side : {Side::left, Side::right}) {
            if (!has_side(h, side, single_root)) continue;
            const auto set = [&](int has_child, int decision, double expected) {
                decisions[decision_cell(h, side, has_child, decision)] = expected;
            };
            const auto used = [&](int has_child, int decision) {
                return probabilities[chart.decision(h, side, has_child, decision)];
            };
            set(0, ValenceChart::go_on, std::min(used(0, ValenceChart::go_on), 1.0));
            set(0, ValenceChart::stop,
                std::min(used(0, ValenceChart::stop) + probabilities[chart.childless(h, side)], 1.0));
            set(1, ValenceChart::go_on, used(1, ValenceChart::go_on));  // may be taken many times
            set(1, ValenceChart::stop, std::min(used(1, ValenceChart::stop), 1.0));
        }
    }
    return shifted.log_partition();
}

double best_valence_counts(ValenceScores scores, bool single_root, double* arcs, double* decisions) {
    thread_local Heads heads;
    thread_local TreeDecisions taken;
    heads.resize(scores.n + 1);
    const double score = best_valence_tree(scores, single_root, heads.data());
    std::fill_n(arcs, arc_cells(scores), 0.0);
    std::fill_n(decisions, decision_cells(scores), 0.0);
    if (scores.n == 0) return score;
    taken.read(heads.data(), scores.n, single_root);
    for (int m = 1; m <= scores.n; ++m) arcs[heads[m] * (scores.n + 1) + m] = 1;
    for (const auto* cells : {&taken.before, &taken.last})
        for (int cell : *cells)
            if (cell >= 0) decisions[cell] += 1;
    return score;
}

std::vector<ValenceTree> best_valence_trees(ValenceScores scores, bool single_root, int k) {
    check_valence_scores(scores);
    if (scores.n == 0) return {ValenceTree{{-1}, 0}};
    const ValenceChart chart(scores.n, single_root);
    std::vector<double> values;
    fill_best_valences(chart, scores, single_root, values);
    auto leaf_score = [&values](int item, int rank) { return rank == 0 ? values[item] : impossible; };
    KBest kbest(chart, values.data(), leaf_score);
    std::vector<ValenceTree> trees;
    for (int rank = 0; rank < k && kbest.has(rank); ++rank) {
        ValenceTree tree{Heads(scores.n + 1, -1), 0};
        const ValenceHeadReader reader{chart, tree.heads.data()};
        kbest.walk(rank, [&reader](int item, int) { reader(item); });
        tree.score = valence_tree_score(scores, tree.heads, single_root);
        trees.push_back(std::move(tree));
    }
    // Scores in the chart are known only up to rounding.
    std::stable_sort(trees.begin(), trees.end(),
                     [](const ValenceTree& a, const ValenceTree& b) { return a.score > b.score; });
    return trees;
}

std::vector<ValenceTree> sample_valence_trees(ValenceScores scores, bool single_root, int count, Random& random) {
    check_valences_for_sums(scores);
    std::vector<ValenceTree> trees(count, ValenceTree{Heads(scores.n + 1, -1), 0});
    if (scores.n == 0) return trees;
    const ShiftedValences& shifted = shifted_valences(scores, single_root);
    for (ValenceTree& tree : trees) {
        sample_derivation(shifted.chart, shifted.values.data(), random,
                          ValenceHeadReader{shifted.chart, tree.heads.data()});
        tree.score = valence_tree_score(scores, tree.heads, single_root);
    }
    return trees;
}

}  // namespace arbora
