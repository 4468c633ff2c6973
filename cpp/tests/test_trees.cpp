// Spanning trees in the core, where the sanitizers see them: every operation on every kind of tree and on scores that
// hurt. Agreement with enumeration is tested from Python; here results are tested against each other.
#include <algorithm>
#include <cmath>
#include <set>

#include "charts/algorithms.hpp"
#include "charts/eisner.hpp"
#include "check.hpp"
#include "semirings/count.hpp"
#include "support/random.hpp"
#include "support/wide.hpp"
#include "trees/arc_odds.hpp"
#include "trees/mst.hpp"
#include "trees/operations.hpp"
#include "trees/plain_steps.hpp"

using namespace arbora;

namespace {

enum class Family { normal, tied, sparse, extreme, peaked };

std::vector<double> draw_scores(int n, int labels, Family family, Random& random) {
    std::vector<double> scores(static_cast<std::size_t>(n + 1) * (n + 1) * std::max(labels, 1));
    for (double& score : scores) {
        score = 4 * random.uniform() - 2;
        if (family == Family::tied) score = std::floor(score);
        if (family == Family::extreme) score *= 5e5;
        if (family == Family::peaked) score *= 100;
        if (family == Family::sparse && random.uniform() < 0.4) score = impossible;
    }
    return scores;
}

bool is_tree_of_kind(const Heads& heads, TreeKind kind) {
    const int n = static_cast<int>(heads.size()) - 1;
    for (int m = 1; m <= n; ++m) {
        int v = m, steps = 0;
        while (v != 0 && steps++ <= n) v = heads[v];
        if (v != 0) return false;
        for (int k = 1; kind.projective && k <= n; ++k) {
            const int a = std::min(m, heads[m]), b = std::max(m, heads[m]);
            const int c = std::min(k, heads[k]), d = std::max(k, heads[k]);
            if (a < c && c < b && b < d) return false;
        }
    }
    return !kind.single_root || n == 0 || std::count(heads.begin() + 1, heads.end(), 0) == 1;
}

void check_sentence(SentenceScores sentence, TreeKind kind) {
    Heads heads(sentence.n + 1);
    std::vector<int> labels(sentence.n + 1);
    TreeRef best{heads.data(), sentence.labels ? labels.data() : nullptr, 0};
    try {
        find_best(sentence, kind, best);
    } catch (const Infeasible&) {
        bool also = false;
        try {
            find_log_partition(sentence, kind);
        } catch (const Infeasible&) {
            also = true;
        }
        CHECK(also);
        return;
    }
    CHECK(is_tree_of_kind(heads, kind));

    const double log_z = find_log_partition(sentence, kind);
    const double scale = std::max(1.0, std::abs(best.score));
    CHECK(log_z >= best.score - 1e-9 * scale);
    const double entropy = find_entropy(sentence, kind);
    CHECK(entropy >= 0 && std::isfinite(entropy));

    std::vector<double> marginals(sentence.size()), complements(sentence.size());
    find_marginals(sentence, kind, false, marginals.data());
    find_marginals(sentence, kind, true, complements.data());
    double total = 0;
    for (std::size_t c = 0; c < marginals.size(); ++c) {
        CHECK(marginals[c] >= 0 && marginals[c] <= 1 + 1e-9);
        CHECK(std::abs(marginals[c] + complements[c] - 1) < 1e-9);
        total += marginals[c];
    }
    CHECK(std::abs(total - sentence.n) < 1e-8);

    const auto trees = find_kbest(sentence, kind, 20);
    CHECK(!trees.empty() && std::abs(trees[0].score - best.score) <= 1e-9 * scale);
    std::set<std::pair<Heads, std::vector<int>>> seen;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        CHECK(is_tree_of_kind(trees[i].heads, kind));
        CHECK(i == 0 || trees[i].score <= trees[i - 1].score);
        CHECK(seen.insert({trees[i].heads, trees[i].labels}).second);
    }
    for (const auto& tree : draw_samples(sentence, kind, 3, 7, 0)) CHECK(is_tree_of_kind(tree.heads, kind));

    TreeRef least_risk{heads.data(), sentence.labels ? labels.data() : nullptr, 0};
    find_least_risk(sentence, kind, true, least_risk);
    CHECK(is_tree_of_kind(heads, kind));
    CHECK(least_risk.score <= sentence.n + 1e-9);
}

}  // namespace

TEST(all_operations_on_all_kinds_of_trees) {
    Random random(11);
    for (int n : {0, 1, 2, 3, 5, 8, 17, 33})
        for (int labels : {0, 1, 3})
            for (Family family : {Family::normal, Family::tied, Family::sparse, Family::extreme, Family::peaked})
                for (bool single_root : {false, true})
                    for (bool projective : {false, true}) {
                        const auto scores = draw_scores(n, labels, family, random);
                        check_sentence({scores.data(), n, labels}, {single_root, projective});
                    }
}

// Halves, quarters and blocks of vectors have other edges at every length.
TEST(marginals_at_every_length) {
    Random random(12);
    for (int n = 1; n <= 70; ++n)
        for (Family family : {Family::normal, Family::peaked, Family::extreme})
            for (bool single_root : {false, true}) {
                const auto scores = draw_scores(n, 0, family, random);
                std::vector<double> marginals(scores.size());
                find_marginals({scores.data(), n, 0}, {single_root, false}, false, marginals.data());
                for (int m = 1; m <= n; ++m) {
                    double total = 0;
                    for (int h = 0; h <= n; ++h) total += marginals[h * (n + 1) + m];
                    CHECK(std::abs(total - 1) < 1e-9);
                }
            }
}

// Odds of the arcs into j, by wide numbers one at a time: all other tokens are taken out, one by one, and put back.
std::vector<double> odds_into(const std::vector<double>& scores, int n, bool single_root, int j) {
    const std::size_t width = n + 1;
    std::vector<int> order;  // j last
    for (int v = 1; v <= n; ++v)
        if (v != j) order.push_back(v);
    order.push_back(j);
    const auto weight = [&](int head, int modifier) { return Wide::exp(scores[head * width + modifier], 0); };
    std::vector<Wide> w(width * width), t(width * width), q(width * width);
    for (int m = 0; m < n; ++m) {
        for (int h = 0; h < n; ++h)
            if (h != m) w[h * width + m] = weight(order[h], order[m]);
        w[n * width + m] = weight(0, order[m]);
    }
    const auto left = [=](int k) { return Left{k + 1, n, n, single_root}; };
    for (int k = 0; k + 1 < n; ++k) take_out(w.data(), width, k, left(k), t.data() + k * width);
    for (int k = n - 2; k >= 0; --k) put_back(t.data() + k * width, q.data(), width, k, left(k), n - 1, n);
    const Wide last = w[n * width + n - 1];
    std::vector<Wide> p(width);
    p[0] = weight(0, j) / last;
    for (int i = 0; i + 1 < n; ++i) p[order[i]] = weight(order[i], j) / last * q[i * width + n - 1];
    std::vector<double> odds(width, impossible);
    for (int h = 0; h <= n; ++h) {
        Wide others;
        for (int k = 0; k <= n; ++k)
            if (k != h) others += p[k];
        if (h != j) odds[h] = p[h].log() - others.log();
    }
    return odds;
}

// From spreads that doubles hold to those that only their logarithms do, and beyond, where only wide numbers are left.
TEST(odds_of_arcs_at_every_spread) {
    Random random(12);
    Arena arena;
    for (int n : {2, 3, 4, 7, 12, 16, 17, 19, 25, 33, 130})
        for (double spread : {1.0, 20.0, 60.0, 100.0, 150.0, 250.0, 600.0, 5000.0, 1e6, 1e10})
            for (bool single_root : {false, true})
                for (bool is_sharp : {false, true}) {
                    // Sharp: one tree far above the rest, so that only the rest is small.
                    std::vector<double> scores(static_cast<std::size_t>(n + 1) * (n + 1)), odds(scores.size());
                    for (double& score : scores) score = spread * (2 * random.uniform() - 1);
                    for (int m = 1; is_sharp && m <= n; ++m)
                        scores[static_cast<int>((m - 1) * random.uniform() + (m > 1)) * (n + 1) + m] += 2 * spread;
                    const ScoreRange range{-spread, 3 * spread};
                    const double total = arc_log_odds({scores.data(), n}, single_root, range, odds.data(), arena);
                    CHECK(std::isfinite(total));
                    for (int m = 1; m <= n; m += n < 100 ? 1 : 60) {
                        const std::vector<double> expected = odds_into(scores, n, single_root, m);
                        for (int h = 0; h <= n; ++h) {
                            const double a = odds[h * (n + 1) + m], b = expected[h];
                            CHECK(a == b || std::abs(a - b) < 1e-10 * std::max(1.0, std::abs(b)));
                        }
                    }
                }
}

// Messages that grow without end lead there.
TEST(odds_of_arcs_beyond_wide_numbers) {
    Random random(13);
    Arena arena;
    for (int n : {1, 2, 7, 25})
        for (double spread : {1e15, 1e30, 1e300})
            for (bool single_root : {false, true}) {
                std::vector<double> scores(static_cast<std::size_t>(n + 1) * (n + 1)), odds(scores.size());
                for (double& score : scores) score = spread * (2 * random.uniform() - 1);
                std::vector<int> heads(n + 1);
                const ArcScores arcs{scores.data(), n};
                const double total = arc_log_odds(arcs, single_root, {-spread, spread}, odds.data(), arena);
                CHECK(find_best_tree(arcs, single_root, heads.data()));
                CHECK(std::abs(total - tree_score(arcs, heads.data())) <= 1e-12 * n * spread);
                for (int m = 1; m <= n; ++m)
                    for (int h = 0; h <= n; ++h) {
                        const double x = odds[h * (n + 1) + m];
                        if (h != m) CHECK(!std::isnan(x) && (x > 0) == (heads[m] == h));
                    }
            }
}

TEST(nan_and_infinity_are_refused) {
    for (double bad : std::initializer_list<double>{NAN, INFINITY}) {
        std::vector<double> scores(16, 0.0);
        scores[6] = bad;
        bool refused = false;
        try {
            find_log_partition({scores.data(), 3, 0}, {});
        } catch (const InvalidScores&) {
            refused = true;
        }
        CHECK(refused);
    }
}

// Projective trees with many roots: 1, 3, 12, 55, 273 (the number of ternary trees); each has one derivation.
TEST(the_chart_counts_each_projective_tree_once) {
    const double many[] = {1, 3, 12, 55, 273}, single[] = {1, 2, 7, 30, 143};
    for (int n = 1; n <= 5; ++n)
        for (bool single_root : {false, true}) {
            const EisnerChart chart(n, single_root);
            std::vector<double> ones((n + 1) * (n + 1), 1.0), values(chart.item_count());
            chart.set_leaves<CountSemiring>({ones.data(), n}, values.data());
            inside<CountSemiring>(chart, values.data());
            CHECK(values[chart.goal()] == (single_root ? single : many)[n - 1]);
        }
}

namespace {

// The example of CONTRIBUTING.md.
// (or, and, 0, 1): whether there is a derivation.
struct BooleanSemiring {
    static constexpr double zero = 0;
    static constexpr double one = 1;
    static double plus(double a, double b) { return a > b ? a : b; }
    static double times(double a, double b) { return a * b; }
    static double dot(const double* a, const double* b, int count) {
        double any = zero;
        for (int k = 0; k < count; ++k) any = plus(any, times(a[k], b[k]));
        return any;
    }
};
static_assert(Semiring<BooleanSemiring>);

}  // namespace

TEST(a_new_semiring_runs_on_the_chart) {
    const EisnerChart chart(3, true);
    std::vector<double> arcs(16, 0.0), values(chart.item_count());
    auto has_tree = [&] {
        chart.set_leaves<BooleanSemiring>({arcs.data(), 3}, values.data());
        inside<BooleanSemiring>(chart, values.data());
        return values[chart.goal()] == 1;
    };
    arcs[0 * 4 + 2] = arcs[2 * 4 + 1] = 1;
    CHECK(!has_tree());
    arcs[1 * 4 + 3] = 1;  // crosses 0 -> 2
    CHECK(!has_tree());
    arcs[2 * 4 + 3] = 1;
    CHECK(has_tree());
}
