// The solver by charts against enumeration, where the sanitizers see it; more of it is tested from Python.
#include <algorithm>
#include <cmath>
#include <memory>

#include "check.hpp"
#include "factors/child_sequences.hpp"
#include "factors/grand_siblings.hpp"
#include "factors/pairs.hpp"
#include "factors/projective_tree.hpp"
#include "solvers/enumeration.hpp"
#include "solvers/projective_chart.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

double draw(Random& random) { return random.uniform() < 0.03 ? -INFINITY : 4 * random.uniform() - 2; }

std::vector<double> draws(std::size_t count, Random& random) {
    std::vector<double> scores(count);
    for (double& score : scores) score = draw(random);
    return scores;
}

std::size_t bigrams(std::size_t modifiers) { return (modifiers + 1) * (modifiers + 2) / 2; }

// All arcs of three words, a tree, and some of: sequences (1), grand-siblings (2), grandparents (4).
FactorGraph draw_graph(int kinds, Random& random) {
    constexpr int n = 3;
    FactorGraph graph;
    std::vector<int> heads, modifiers;
    std::vector<Input> arcs[n + 1];  // by head and modifier
    std::vector<Input> all;
    for (int h = 0; h <= n; ++h)
        for (int m = 0; m <= n; ++m) {
            const bool is_arc = m > 0 && m != h;
            arcs[h].push_back(is_arc ? Input{graph.add_binary(draw(random))} : Input{-1});
            if (!is_arc) continue;
            all.push_back(arcs[h][m]);
            heads.push_back(h);
            modifiers.push_back(m);
        }
    graph.add_binary(draw(random));  // which no factor sees
    const double tags[] = {draw(random), 0.5, draw(random)};
    graph.add_category(tags, 3);

    Wiring tree, sequences, siblings, pairs;
    std::vector<int> grandparents, left;
    std::size_t sequence_parts = 0, sibling_parts = 0;
    tree.add_factor(graph.variables(), all);
    for (int h = 0; h <= n; ++h) {
        std::vector<Input> above, sides[2];
        for (int g = 0; h > 0 && g <= n; ++g)
            if (g != h) above.push_back(arcs[g][h]);
        for (int m = h - 1; m > 0; --m) sides[0].push_back(arcs[h][m]);
        for (int m = h + 1; m <= n; ++m) sides[1].push_back(arcs[h][m]);
        for (int side = h == 0; side < 2; ++side) {
            sequences.add_factor(graph.variables(), sides[side]);
            sequence_parts += bigrams(sides[side].size());
        }
        grandparents.push_back(static_cast<int>(above.size()));
        left.push_back(static_cast<int>(sides[0].size()));
        sibling_parts += std::max<std::size_t>(above.size(), 1) * (bigrams(sides[0].size()) + bigrams(sides[1].size()));
        for (const Input& one : above)
            for (const auto& side : sides)
                for (const Input& other : side) pairs.add_factor(graph.variables(), std::vector<Input>{other, one});
        for (const auto& side : sides) above.insert(above.end(), side.begin(), side.end());
        siblings.add_factor(graph.variables(), above);
    }
    graph.add(std::make_shared<ProjectiveTreeFactor>(tree, CandidateArcs(n, heads, modifiers, random.uniform() < 0.5)));
    if (kinds & 1) graph.add(std::make_shared<ChildSequences>(sequences, draws(sequence_parts, random)));
    if (kinds & 2)
        graph.add(std::make_shared<GrandSiblings>(siblings, grandparents, left, draws(sibling_parts, random)));
    if (kinds & 4) graph.add(std::make_shared<Pairs>(pairs, draws(pairs.factors(), random)));
    for (int v = 0; v < graph.variables().count(); ++v)
        if (random.uniform() < 0.08) graph.clamp(v, random.uniform() < 0.5);
    return graph;
}

bool is_near(double a, double b) { return a == b || std::abs(a - b) < 1e-9; }

bool are_near(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_near);
}

}  // namespace

TEST(projective_charts_agree_with_enumeration) {
    Random random(41);
    int possible = 0;
    for (int trial = 0; trial < 160; ++trial) {
        const FactorGraph graph = draw_graph(trial % 8, random);
        const Outcome wanted = enumerate(graph, 1e6), found = solve_by_projective_chart(graph, true, 1 + trial % 4);
        CHECK(found.infeasible == wanted.infeasible && is_near(found.value, wanted.value));
        CHECK(found.value == found.upper_bound && is_near(found.log_partition, wanted.log_partition));
        CHECK(are_near(found.beliefs, wanted.beliefs));
        if (found.infeasible) continue;
        ++possible;
        for (std::size_t group = 0; group < wanted.parts.size(); ++group)
            CHECK(are_near(found.parts[group], wanted.parts[group]));
        CHECK(!found.ranked.empty() && found.ranked.size() <= 1u + trial % 4);
        const Outcome alone = solve_by_projective_chart(graph, false, 1);
        CHECK(alone.value == found.value && alone.parts.empty() && std::isnan(alone.log_partition));
    }
    CHECK(possible > 40 && possible < 160);
}
