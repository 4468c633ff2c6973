// Graphs of parts and hill climbing on them, where the sanitizers see it. Agreement with enumeration is tested from Python;
// here results are tested against each other.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "parsing/exact_charts.hpp"
#include "parsing/hill_climbing.hpp"
#include "parts/part_graph.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

int draw(Random& random, int count) { return std::min(static_cast<int>(random.uniform() * count), count - 1); }

// Heads of a random tree: each word hangs from one that hangs already.
std::vector<int> draw_tree(int n, bool single_root, Random& random) {
    std::vector<int> order(n), heads(n + 1, -1);
    std::iota(order.begin(), order.end(), 1);
    for (int i = n - 1; i > 0; --i) std::swap(order[i], order[draw(random, i + 1)]);
    for (int i = 0; i < n; ++i) {
        const bool is_root = i == 0 || (!single_root && random.uniform() < 0.3);
        heads[order[i]] = is_root ? 0 : order[draw(random, i)];
    }
    return heads;
}

bool is_tree(const std::vector<int>& heads, bool single_root) {
    const int n = static_cast<int>(heads.size()) - 1;
    for (int m = 1; m <= n; ++m) {
        int at = m;
        for (int step = 0; step < n && at > 0; ++step) at = heads[at];
        if (at != 0) return false;
    }
    return !single_root || n == 0 || std::count(heads.begin() + 1, heads.end(), 0) == 1;
}

struct Case {
    SentenceParts parts;
    std::vector<double> arc_scores;
    std::vector<int> tree;  // all its arcs are candidates

    Case(int n, bool single_root, int wanted, Random& random) : tree(draw_tree(n, single_root, random)) {
        std::vector<Arc> arcs;
        const double share = random.uniform();
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m && (tree[m] == h || random.uniform() < share)) arcs.push_back({h, m});
        std::array<bool, part_kind_count> kinds{};
        for (int k = 0; k < part_kind_count; ++k) kinds[k] = wanted >> k & 1;
        parts.set(arcs, n, kinds);
        for (auto& scores : parts.scores)
            for (double& score : scores) score = random.uniform() - 0.5;
        for (std::size_t a = 0; a < arcs.size(); ++a) arc_scores.push_back(random.uniform());
    }
};

// What the listed parts of a tree and its arcs give.
double sum_of(const Case& all, const PartGraph& graph, double scale, PartNumbers<double>& counts) {
    Arena arena;
    for (int k = 0; k < part_kind_count; ++k) counts[k].assign(all.parts.parts[k].size(), 0.0);
    graph.add_parts_of_tree(all.tree.data(), 1, counts, arena);
    double total = 0;
    for (int k = 0; k < part_kind_count; ++k)
        for (std::size_t p = 0; p < counts[k].size(); ++p) total += scale * counts[k][p] * all.parts.scores[k][p];
    for (int m = 1; m <= all.parts.arcs.n(); ++m) total += all.arc_scores[all.parts.arcs.find(all.tree[m], m)];
    return total;
}

template <class Each>
void for_cases(Random& random, Each each) {
    for (int wanted = 0; wanted < 1 << part_kind_count; ++wanted)
        for (bool single_root : {true, false}) {
            const int n = 1 + draw(random, 6);
            each(Case(n, single_root, wanted, random), n, single_root);
        }
}

}  // namespace

TEST(parsing_parts_of_a_tree_are_the_same_in_all_graphs) {
    Random random(1);
    for_cases(random, [&](const Case& all, int n, bool single_root) {
        const double scale = 0.5;
        PartNumbers<double> first;
        for (bool joined : {true, false})
            for (int constraint = 0; constraint <= static_cast<int>(TreeConstraint::tree); ++constraint) {
                const PartGraph graph(all.parts, all.arc_scores, {joined, static_cast<TreeConstraint>(constraint)},
                                      {single_root, false}, scale);
                PartNumbers<double> counts;
                Arena arena;
                const double expected = sum_of(all, graph, scale, counts);
                CHECK(std::abs(graph.value_of_tree(all.tree.data(), arena) - expected) < 1e-9);
                CHECK(std::abs(graph.value_of(graph.assignment_of(all.tree.data())) - expected) < 1e-9);
                if (joined && constraint == 0) first = counts;
                CHECK(counts == first);
                std::vector<int> heads(n + 1, -1);
                graph.read_heads(graph.assignment_of(all.tree.data()), heads.data());
                CHECK(heads == all.tree);
            }
    });
}

TEST(parsing_climbs_never_fall) {
    Random random(2);
    for_cases(random, [&](const Case& all, int n, bool single_root) {
        Arena arena;
        const PartGraph graph(all.parts, all.arc_scores, {}, {single_root, false}, 1);
        std::vector<int> heads = all.tree;
        const double before = graph.value_of_tree(heads.data(), arena);
        const bool changed = climb(graph, heads.data());
        CHECK(is_tree(heads, single_root) && changed == (heads != all.tree));
        CHECK(graph.value_of_tree(heads.data(), arena) >= before);
        const std::vector<int> top = heads;
        CHECK(!climb(graph, heads.data()) && heads == top);
        for (bool projective : {false, true}) {
            const PartGraph own(all.parts, all.arc_scores, {}, {single_root, projective}, 1);
            const Outcome found = climb_from_projective(own);
            CHECK(projective || !found.infeasible);
            if (found.infeasible) continue;
            std::vector<int> best(n + 1, -1);
            own.read_heads(found.assignment, best.data());
            CHECK(is_tree(best, single_root));
            CHECK(found.value == own.value_of_tree(best.data(), arena));
            CHECK(found.value <= found.upper_bound + 1e-9);
            CHECK(std::isfinite(found.upper_bound) == (projective && own.automata().are_all));
        }
    });
}

TEST(parsing_climbs_skip_only_what_cannot_help) {
    Random random(3);
    int climbed = 0;
    for_cases(random, [&](const Case& all, int n, bool single_root) {
        for (const bool joined : {false, true}) {
            const PartGraph graph(all.parts, all.arc_scores, {joined}, {single_root, false}, 1);
            std::vector<int> heads(n + 1, -1), found(n + 1, -1);
            if (best_projective(graph, heads.data()) == -INFINITY) continue;
            climbed += climb(graph, heads.data());  // looks at every move
            graph.read_heads(climb_from_projective(graph).assignment, found.data());
            CHECK(found == heads);
        }
    });
    CHECK(climbed > 50);
}
