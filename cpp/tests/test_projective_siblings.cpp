// Charts with siblings and grandparents, where the sanitizers see them: every operation on few arcs and on many, on
// scores that hurt. Agreement with enumeration is tested from Python; here results are tested against each other.
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "charts/algorithms.hpp"
#include "charts/projective.hpp"
#include "charts/projective_siblings.hpp"
#include "check.hpp"
#include "factors/child_sequences.hpp"
#include "factors/grand_siblings.hpp"
#include "semirings/count.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

struct Arcs {
    int n;
    std::vector<int> heads, modifiers;
    ArcList list(bool single_root) const { return {n, heads, modifiers, single_root}; }
};

// Every arc with that probability; each word can at least follow the one before it.
Arcs draw_arcs(int n, double density, Random& random) {
    Arcs arcs{n, {}, {}};
    for (int m = 1; m <= n; ++m)
        for (int h = 0; h <= n; ++h) {
            if (h == m || (h != m - 1 && random.uniform() >= density)) continue;
            arcs.heads.push_back(h);
            arcs.modifiers.push_back(m);
        }
    return arcs;
}

std::vector<double> draw_scores(std::size_t count, int family, Random& random) {
    std::vector<double> scores(count);
    for (double& score : scores) {
        score = 4 * random.uniform() - 2;
        if (family == 1) score = std::floor(score);
        if (family == 2) score *= 5e5;
        if (family == 3 && random.uniform() < 0.05) score = impossible;
    }
    return scores;
}

bool is_projective_tree(const Heads& heads, bool single_root) {
    const int n = static_cast<int>(heads.size()) - 1;
    for (int m = 1; m <= n; ++m) {
        int v = m, steps = 0;
        while (v > 0 && steps++ <= n) v = heads[v];
        if (v != 0) return false;
        for (int k = 1; k <= n; ++k) {
            const auto [a, b] = std::minmax(m, heads[m]);
            const auto [c, d] = std::minmax(k, heads[k]);
            if (a < c && c < b && b < d) return false;
        }
    }
    return !single_root || n == 0 || std::count(heads.begin() + 1, heads.end(), 0) == 1;
}

bool is_near(double a, double b, double scale) { return std::abs(a - b) <= 1e-9 * scale; }

// Of the parts of which a tree has one, the probabilities add up to one; arcs are the parts that stand for them.
void check_sums(ProjectiveSiblings& trees, const std::vector<double>& arc_scores,
                const std::vector<double>& part_scores, double scale) {
    const SiblingChart& chart = trees.chart();
    std::vector<double> arcs(chart.arc_count()), parts(chart.part_count());
    std::vector<double> choices(chart.choice_count(), 0.0), by_arc(chart.arc_count(), 0.0);
    const double log_partition = trees.sum(arcs.data(), parts.data());
    CHECK(log_partition >= trees.best_score() - 1e-9 * scale);
    CHECK(is_near(trees.sum(nullptr, nullptr), log_partition, scale));
    double expected = 0;
    for (int part = 0; part < chart.part_count(); ++part) {
        CHECK(parts[part] >= 0 && parts[part] <= 1);
        choices[chart.choice(part)] += parts[part];
        if (parts[part] > 0) expected += parts[part] * part_scores[part];
        if (chart.arc_of(part) >= 0) by_arc[chart.arc_of(part)] += parts[part];
    }
    for (int word = 1; word <= chart.words(); ++word) CHECK(is_near(choices[word], 1, 1));
    // END on each side; the root's left side has no parts unless they see grandparents.
    for (int i = chart.words() + 1; i < chart.choice_count(); ++i)
        CHECK(is_near(choices[i], 1, 1) || (i == chart.words() + 1 && choices[i] == 0));
    for (int arc = 0; arc < chart.arc_count(); ++arc) {
        CHECK(is_near(arcs[arc], by_arc[arc], 1));
        if (arcs[arc] > 0) expected += arcs[arc] * arc_scores[arc];
    }
    // What is left of log Z = E[score] + H; exact digits are lost only to the scale of scores.
    CHECK(is_near(trees.entropy(), log_partition - expected, 10 * scale));
}

void check_trees(ProjectiveSiblings& trees, bool single_root, double scale, Random& random) {
    const int n = trees.chart().words();
    Heads heads(n + 1);
    trees.best_tree(heads.data());
    CHECK(is_projective_tree(heads, single_root));
    const auto ranked = trees.best_trees(20);
    CHECK(!ranked.empty() && is_near(ranked[0].score, trees.best_score(), scale));
    std::set<Heads> seen;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        CHECK(is_projective_tree(ranked[i].heads, single_root));
        CHECK(i == 0 || ranked[i].score <= ranked[i - 1].score);
        CHECK(seen.insert(ranked[i].heads).second);
    }
    for (const Heads& one : trees.samples(3, random)) CHECK(is_projective_tree(one, single_root));
}

}  // namespace

TEST(all_operations_with_siblings_and_grandparents) {
    Random random(31);
    ProjectiveSiblings trees;  // one for all: what is left of a sentence must not matter
    int impossible_ones = 0;
    for (int n : {0, 1, 2, 3, 5, 9, 16})
        for (double density : {0.0, 0.3, 1.0})
            for (int family = 0; family < 4; ++family)
                for (bool single_root : {false, true})
                    for (bool sees_grandparents : {false, true}) {
                        const Arcs arcs = draw_arcs(n, density, random);
                        trees.set_arcs(arcs.list(single_root), sees_grandparents);
                        const auto arc_scores = draw_scores(arcs.heads.size(), family, random);
                        const auto part_scores = draw_scores(trees.chart().part_count(), family, random);
                        trees.set_scores(arc_scores, part_scores);
                        if (trees.best_score() == impossible) {
                            CHECK(family == 3);
                            ++impossible_ones;
                            continue;
                        }
                        const double scale = family == 2 ? 1e7 : 100;
                        check_sums(trees, arc_scores, part_scores, scale);
                        check_trees(trees, single_root, scale, random);
                    }
    CHECK(impossible_ones > 0);
}

// The numbers of projective trees, as in test_trees.cpp.
TEST(charts_with_siblings_count_each_projective_tree_once) {
    const double many[] = {1, 1, 3, 12, 55, 273}, single[] = {1, 1, 2, 7, 30, 143};
    Random random(32);
    SiblingChart chart;
    for (int n = 0; n <= 5; ++n)
        for (bool single_root : {false, true})
            for (bool sees_grandparents : {false, true}) {
                chart.build(draw_arcs(n, 1, random).list(single_root), sees_grandparents);
                std::vector<double> ones(chart.part_count(), 1.0), values(chart.item_count());
                chart.set_leaves<CountSemiring>(ones.data(), values.data());
                inside<CountSemiring>(chart, values.data());
                CHECK(values[chart.goal()] == (single_root ? single : many)[n]);
            }
}

TEST(without_scores_of_parts_trees_are_those_of_arcs) {
    Random random(33);
    for (int n = 1; n <= 12; ++n)
        for (bool single_root : {false, true}) {
            const Arcs arcs = draw_arcs(n, 0.5, random);
            const auto scores = draw_scores(arcs.heads.size(), 0, random);
            std::vector<double> table((n + 1) * (n + 1), impossible), marginals(table.size());
            for (std::size_t i = 0; i < scores.size(); ++i)
                table[arcs.heads[i] * (n + 1) + arcs.modifiers[i]] = scores[i];
            const double log_partition = projective_marginals({table.data(), n}, single_root, marginals.data());
            for (bool sees_grandparents : {false, true}) {
                ProjectiveSiblings trees;
                trees.set_arcs(arcs.list(single_root), sees_grandparents);
                trees.set_scores(scores, std::vector<double>(trees.chart().part_count(), 0.0));
                std::vector<double> found(scores.size());
                CHECK(is_near(trees.sum(found.data(), nullptr), log_partition, 1));
                for (std::size_t i = 0; i < scores.size(); ++i)
                    CHECK(is_near(found[i], marginals[arcs.heads[i] * (n + 1) + arcs.modifiers[i]], 1));
            }
        }
}

// Parts lie as those of the factors over the same arcs, so that a parser can hand the same scores to either.
TEST(parts_lie_as_those_of_factors) {
    Random random(34);
    const Arcs arcs = draw_arcs(7, 0.4, random);
    SiblingChart chart;
    for (bool sees_grandparents : {false, true}) {
        chart.build(arcs.list(true), sees_grandparents);
        Variables variables;
        std::vector<Input> inputs;
        for (std::size_t i = 0; i < arcs.heads.size(); ++i) inputs.push_back({variables.add_binary()});
        Wiring wiring;
        std::vector<int> grandparents, left;
        for (int h = 0; h <= 7; ++h) {
            std::vector<Input> factor;
            for (int arc = chart.first_arc(h); sees_grandparents && arc < chart.first_arc(h + 1); ++arc)
                factor.push_back(inputs[arc]);
            grandparents.push_back(static_cast<int>(factor.size()));
            left.push_back(static_cast<int>(chart.arcs_of(h, SiblingChart::left).size()));
            for (int side : {SiblingChart::left, SiblingChart::right}) {
                for (int arc : chart.arcs_of(h, side)) factor.push_back(inputs[arc]);
                if (sees_grandparents) continue;
                if (h > 0 || side == SiblingChart::right) wiring.add_factor(variables, factor);
                factor.clear();
            }
            if (sees_grandparents) wiring.add_factor(variables, factor);
        }
        const std::vector<double> scores(chart.part_count(), 0.0);
        if (sees_grandparents) {
            const GrandSiblings group(wiring, grandparents, left, scores);
            for (int h = 0; h <= 7; ++h)
                CHECK(static_cast<int>(group.part_begin(h)) == chart.part(h, 0, SiblingChart::left, 0, 1));
        } else {
            const ChildSequences group(wiring, scores);
            for (int factor = 0; factor < 15; ++factor)
                CHECK(static_cast<int>(group.part_begin(factor)) ==
                      chart.part((factor + 1) / 2, 0, (factor + 1) % 2, 0, 1));
        }
    }
}

TEST(charts_refuse_arcs_out_of_order) {
    int refused = 0;
    const auto refuses = [&](std::vector<int> heads, std::vector<int> modifiers) {
        try {
            SiblingChart().build({2, heads, modifiers, true}, true);
        } catch (const std::invalid_argument&) {
            ++refused;
        }
    };
    refuses({0, 0}, {2, 1});
    refuses({2, 0}, {1, 1});
    refuses({0, 0}, {1, 1});
    refuses({1}, {1});
    refuses({0}, {3});
    refuses({0, 1}, {1});
    CHECK(refused == 6);
    ProjectiveSiblings trees;
    const Arcs one{1, {0}, {1}};
    trees.set_arcs(one.list(true), false);
    try {
        trees.set_scores(std::vector<double>(1), std::vector<double>(4));
        CHECK(false);
    } catch (const std::invalid_argument&) {
    }
}
