// The valence model against every tree of small sentences, and where the sanitizers see it on longer ones.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "charts/algorithms.hpp"
#include "charts/valence_chart.hpp"
#include "charts/valences.hpp"
#include "check.hpp"
#include "semirings/count.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

struct Sentence {
    int n;
    std::vector<double> arcs, valences;
    ValenceScores scores() const { return {arcs.data(), valences.data(), n}; }
};

Sentence draw_sentence(int n, int family, Random& random) {
    Sentence sentence{n, std::vector<double>((n + 1) * (n + 1)), std::vector<double>((n + 1) * 8)};
    for (auto* scores : {&sentence.arcs, &sentence.valences})
        for (double& score : *scores) {
            score = 4 * random.uniform() - 2;
            if (family == 1) score = std::floor(score);
            if (family == 2) score -= 1000;
            if (family == 3 && random.uniform() < 0.1) score = impossible;
        }
    return sentence;
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

// How often a tree uses each arc and each decision: arcs first, from the definition.
std::vector<double> uses(const Heads& heads, bool single_root) {
    const int n = static_cast<int>(heads.size()) - 1, width = n + 1;
    std::vector<double> counts(width * width + width * 8, 0.0);
    for (int h = 0; h <= n; ++h)
        for (int side : {0, 1}) {
            const bool decides = h > 0 || (side == 1 && !single_root);
            const auto decide = [&](int has_child, int decision) {
                if (decides) ++counts[width * width + ((h * 2 + side) * 2 + has_child) * 2 + decision];
            };
            int has_child = 0;
            for (int m = side ? h + 1 : h - 1; m >= 1 && m <= n; m += side ? 1 : -1) {
                if (heads[m] != h) continue;
                decide(has_child, 0);
                ++counts[h * width + m];
                has_child = 1;
            }
            decide(has_child, 1);
        }
    return counts;
}

double score_of(const Sentence& sentence, const std::vector<double>& counts) {
    double score = 0;
    for (std::size_t c = 0; c < counts.size(); ++c)
        if (counts[c] > 0)
            score +=
                counts[c] * (c < sentence.arcs.size() ? sentence.arcs[c] : sentence.valences[c - sentence.arcs.size()]);
    return score;
}

// All possible trees with their scores.
std::map<Heads, double> all_trees(const Sentence& sentence, bool single_root) {
    std::map<Heads, double> trees;
    Heads heads(sentence.n + 1, 0);
    heads[0] = -1;
    while (true) {
        if (is_projective_tree(heads, single_root)) {
            const double score = score_of(sentence, uses(heads, single_root));
            if (score != impossible) trees[heads] = score;
        }
        int m = 1;
        while (m <= sentence.n && heads[m] == sentence.n) heads[m++] = 0;
        if (m > sentence.n) return trees;
        ++heads[m];
    }
}

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-9 + 1e-14 * std::abs(b); }

void check_against(const std::map<Heads, double>& trees, const Sentence& sentence, bool single_root, Random& random) {
    const ValenceScores scores = sentence.scores();
    double best = impossible, total = 0;
    for (const auto& [heads, score] : trees) best = std::max(best, score);
    for (const auto& [heads, score] : trees) total += std::exp(score - best);
    const double log_partition = best + std::log(total);
    const std::size_t cells = sentence.arcs.size();
    std::vector<double> expected(cells + sentence.valences.size(), 0.0), found(expected.size());
    for (const auto& [heads, score] : trees) {
        const auto counts = uses(heads, single_root);
        for (std::size_t c = 0; c < counts.size(); ++c) expected[c] += counts[c] * std::exp(score - log_partition);
    }
    CHECK(is_near(valence_log_partition(scores, single_root), log_partition));
    CHECK(is_near(valence_expectations(scores, single_root, found.data(), found.data() + cells), log_partition));
    for (std::size_t c = 0; c < found.size(); ++c) CHECK(is_near(found[c], expected[c]));

    Heads heads(sentence.n + 1);
    CHECK(is_near(best_valence_tree(scores, single_root, heads.data()), best));
    CHECK(trees.contains(heads) && is_near(trees.at(heads), best));
    CHECK(is_near(best_valence_counts(scores, single_root, found.data(), found.data() + cells), best));
    CHECK(found == uses(heads, single_root));

    const auto ranked = best_valence_trees(scores, single_root, 1 << 20);
    CHECK(ranked.size() == trees.size());
    std::set<Heads> seen;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        CHECK(trees.contains(ranked[i].heads) && is_near(ranked[i].score, trees.at(ranked[i].heads)));
        CHECK(i == 0 || ranked[i].score <= ranked[i - 1].score);
        CHECK(seen.insert(ranked[i].heads).second);
    }
    for (const ValenceTree& tree : sample_valence_trees(scores, single_root, 5, random))
        CHECK(trees.contains(tree.heads) && is_near(tree.score, trees.at(tree.heads)));
}

template <class Error, class Task>
bool throws(Task task) {
    try {
        task();
    } catch (const Error&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(valences_of_all_small_trees) {
    Random random(51);
    int without_tree = 0;
    for (int n = 1; n <= 4; ++n)
        for (int family = 0; family < 4; ++family)
            for (bool single_root : {false, true})
                for (int again = 0; again < 4; ++again) {
                    const Sentence sentence = draw_sentence(n, family, random);
                    const auto trees = all_trees(sentence, single_root);
                    if (!trees.empty()) {
                        check_against(trees, sentence, single_root, random);
                        continue;
                    }
                    ++without_tree;
                    CHECK(family == 3);
                    CHECK(throws<Infeasible>([&] { valence_log_partition(sentence.scores(), single_root); }));
                    CHECK(throws<Infeasible>([&] { best_valence_trees(sentence.scores(), single_root, 1); }));
                }
    CHECK(without_tree > 0);
}

TEST(the_valence_chart_counts_each_projective_tree_once) {
    const double many[] = {1, 3, 12, 55, 273}, single[] = {1, 2, 7, 30, 143};
    for (int n = 1; n <= 5; ++n)
        for (bool single_root : {false, true}) {
            const ValenceChart chart(n, single_root);
            const std::vector<double> arcs((n + 1) * (n + 1), 1.0), valences((n + 1) * 8, 1.0);
            std::vector<double> values(chart.item_count());
            chart.set_leaves<CountSemiring>(arcs.data(), valences.data(), values.data());
            inside<CountSemiring>(chart, values.data());
            CHECK(values[chart.goal()] == (single_root ? single : many)[n - 1]);
        }
}

// What is visited is what `equation` says, from either place of an item; from the top down it is the reverse.
TEST(the_valence_chart_agrees_with_itself) {
    for (int n : {1, 2, 5, 8})
        for (bool single_root : {false, true}) {
            const ValenceChart chart(n, single_root);
            std::vector<int> up, down;
            std::set<int> places;
            const auto is_told = [&chart](int item, const Equation& e) {
                const Equation told = chart.equation(item);
                return told.item == e.item && told.left == e.left && told.right == e.right && told.count == e.count &&
                       told.mirror == e.mirror;
            };
            chart.bottom_up([&](const Equation& e) {
                up.push_back(e.item);
                CHECK(is_told(e.item, e) && places.insert(e.item).second);
                if (e.mirror >= 0) CHECK(is_told(e.mirror, e) && places.insert(e.mirror).second);
            });
            chart.top_down([&](const Equation& e) { down.push_back(e.item); });
            std::reverse(down.begin(), down.end());
            CHECK(up == down && up.back() == chart.goal());
            for (int h = 0; h <= n; ++h) {
                for (int m = 1; m <= n; ++m) {
                    if (h == m) continue;
                    const int arc = chart.arc(h, m);
                    CHECK(chart.is_arc(arc) && chart.head_of(arc) == h && chart.modifier_of(arc) == m);
                    CHECK(chart.equation(arc).count == 0 && !places.contains(arc));
                }
                for (int c = 0; c < 8; ++c) {
                    const int leaf = chart.decision(h, c / 4, c / 2 % 2, c % 2);
                    CHECK(chart.equation(leaf).count == 0 && !places.contains(leaf) && !chart.is_arc(leaf));
                }
            }
        }
}

TEST(valences_of_longer_sentences) {
    Random random(52);
    for (int n : {0, 9, 33, 10})
        for (int family : {0, 1, 2})
            for (bool single_root : {false, true}) {
                const Sentence sentence = draw_sentence(n, family, random);
                const ValenceScores scores = sentence.scores();
                const double scale = family == 2 ? 1e5 : 100;
                std::vector<double> arcs(sentence.arcs.size()), valences(sentence.valences.size());
                const double sum = valence_expectations(scores, single_root, arcs.data(), valences.data());
                for (int m = 1; m <= n; ++m) {
                    double heads = 0;
                    for (int h = 0; h <= n; ++h) heads += arcs[h * (n + 1) + m];
                    CHECK(is_near(heads, 1));
                    for (int side : {0, 1})
                        CHECK(is_near(valences[m * 8 + side * 4 + 1] + valences[m * 8 + side * 4 + 3], 1));
                }
                const auto ranked = best_valence_trees(scores, single_root, 30);
                CHECK(std::abs(ranked[0].score - best_valence_counts(scores, single_root, arcs.data(),
                                                                     valences.data())) <= 1e-12 * scale);
                CHECK(ranked[0].score <= sum + 1e-12 * scale);
                for (const ValenceTree& tree : ranked) {
                    CHECK(is_projective_tree(tree.heads, single_root));
                    CHECK(std::abs(tree.score - score_of(sentence, uses(tree.heads, single_root))) <= 1e-12 * scale ||
                          n == 0);
                }
                for (const ValenceTree& tree : sample_valence_trees(scores, single_root, 3, random))
                    CHECK(is_projective_tree(tree.heads, single_root));
            }
}

TEST(valences_that_are_no_scores) {
    Random random(53);
    for (double wrong : {std::nan(""), -impossible}) {
        Sentence sentence = draw_sentence(3, 0, random);
        sentence.valences[9] = wrong;
        Heads heads(4);
        CHECK(throws<InvalidScores>([&] { best_valence_tree(sentence.scores(), true, heads.data()); }));
        CHECK(throws<InvalidScores>([&] { valence_log_partition(sentence.scores(), true); }));
    }
    Sentence sentence = draw_sentence(3, 0, random);
    sentence.arcs[1] = -1e30;
    CHECK(throws<InvalidScores>([&] { valence_log_partition(sentence.scores(), true); }));
    CHECK(best_valence_trees(sentence.scores(), true, 3).size() == 3);
}
