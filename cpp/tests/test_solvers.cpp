// Solvers with bounds on small graphs of arbitrary factors, where the sanitizers see them, against all assignments.
#include <cmath>

#include "check.hpp"
#include "factors/pairs.hpp"
#include "listed_factor.hpp"
#include "solvers/branch_and_bound.hpp"
#include "solvers/dual_decomposition.hpp"
#include "solvers/fixing.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

enum class Family { normal, tied, extreme, sparse, hard };

double draw(Family family, Random& random) {
    double score = 4 * random.uniform() - 2;
    if (family == Family::tied) score = std::floor(score);
    if (family == Family::extreme) score *= std::pow(10, 8 * random.uniform());
    if ((family == Family::sparse || family == Family::hard) && random.uniform() < 0.25) score = -INFINITY;
    return score;
}

// The configurations of a factor over these inputs, most of which are allowed.
std::vector<Configuration> draw_list(const Wiring& wiring, Family family, Random& random) {
    std::vector<Configuration> list = all_configurations(wiring);
    for (Configuration& one : list) one.inner = draw(family, random);
    if (family == Family::hard)
        for (Configuration& one : list) one.inner = one.inner < -1 ? -INFINITY : 0;
    return list;
}

FactorGraph draw_graph(Family family, Random& random) {
    FactorGraph graph;
    const int variables = 1 + static_cast<int>(random.uniform() * 5);
    for (int v = 0; v < variables; ++v) {
        const double scores[3] = {draw(family, random), draw(family, random), draw(family, random)};
        if (random.uniform() < 0.3)
            graph.add_category(scores, 3);
        else
            graph.add_binary(scores[0]);
        if (random.uniform() < 0.1) graph.clamp(v, random.uniform() < 0.5);
    }
    const int factors = static_cast<int>(random.uniform() * 6);
    for (int f = 0; f < factors; ++f) {
        std::vector<Input> inputs;
        for (int v = 0; v < variables; ++v)
            if (inputs.size() < 3 && random.uniform() < 0.6)
                inputs.push_back({v, !graph.variables().is_category(v) && random.uniform() < 0.3});
        if (inputs.empty()) continue;
        Wiring wiring;
        wiring.add_factor(graph.variables(), inputs);
        auto list = draw_list(wiring, family, random);
        graph.add(std::make_shared<ListedFactor>(std::move(wiring), std::move(list), random.uniform() < 0.2));
    }
    return graph;
}

double best_value(const FactorGraph& graph) {
    Arena arena;
    double best = -INFINITY;
    Assignment assignment(graph.slots());
    for (unsigned bits = 0; bits < 1u << graph.slots(); ++bits) {
        for (int slot = 0; slot < graph.slots(); ++slot) assignment[slot] = bits >> slot & 1;
        best = std::max(best, graph.value(assignment, arena));
    }
    return best;
}

double rounding(Family family, double best) {
    return family == Family::extreme ? 1e-1 : 1e-7 * (1 + (std::isfinite(best) ? std::abs(best) : 0));
}

void check(const FactorGraph& graph, Family family, const Outcome& outcome, double best, bool is_exact) {
    Arena arena;
    const double slack = rounding(family, best);
    CHECK(outcome.upper_bound >= best - slack);
    CHECK(!std::isnan(outcome.upper_bound) && !std::isnan(outcome.value));
    CHECK(outcome.value <= best + slack);
    CHECK(outcome.assignment.empty() == (outcome.value == -INFINITY));
    if (!outcome.assignment.empty()) CHECK(graph.value(outcome.assignment, arena) == outcome.value);
    CHECK(outcome.infeasible <= (best == -INFINITY));
    CHECK(outcome.beliefs.size() == static_cast<std::size_t>(graph.slots()));
    for (double belief : outcome.beliefs) CHECK(belief >= -1e-9 && belief <= 1 + 1e-9);
    if (is_certificate(outcome.value, outcome.upper_bound)) CHECK(std::abs(outcome.value - best) <= slack);
    if (!is_exact) return;
    CHECK(outcome.converged);
    CHECK(outcome.infeasible == (best == -INFINITY));
    CHECK(best == -INFINITY || is_certificate(outcome.value, outcome.upper_bound));
}

constexpr Family families[] = {Family::normal, Family::tied, Family::extreme, Family::sparse, Family::hard};

}  // namespace

TEST(means_of_dual_decomposition_come_near_to_the_relaxation) {
    // Each of three wants to be true and no two of them together: one half each is worth more than any assignment.
    FactorGraph graph;
    for (int v = 0; v < 3; ++v) graph.add_binary(1.0);
    Wiring wiring;
    for (int v = 0; v < 3; ++v) {
        const Input both[] = {{v}, {(v + 1) % 3}};
        wiring.add_factor(graph.variables(), both);
    }
    graph.add(std::make_shared<Pairs>(std::move(wiring), std::vector<double>(3, -1.5)));
    const Outcome outcome = dual_decomposition(graph, {.iterations = 4000, .wants_parts = true});
    CHECK(outcome.value == 1);
    CHECK(std::abs(outcome.upper_bound - 1.5) < 1e-3);
    for (double belief : outcome.beliefs) CHECK(std::abs(belief - 0.5) < 0.02);
    CHECK(outcome.parts.size() == 1 && outcome.parts[0].size() == 3);
    for (double part : outcome.parts[0]) CHECK(part >= 0 && part < 0.02);
}

TEST(dual_decomposition_bounds_and_certifies) {
    for (Family family : families)
        for (int seed = 0; seed < 150; ++seed) {
            Random random(seed, static_cast<int>(family));
            const FactorGraph graph = draw_graph(family, random);
            const double best = best_value(graph);
            const Outcome lazy = dual_decomposition(graph, {.iterations = 200});
            check(graph, family, lazy, best, false);
            const Outcome eager = dual_decomposition(graph, {.iterations = 200, .lazy = false});
            CHECK(lazy.values == eager.values && lazy.value == eager.value);
            CHECK(lazy.assignment == eager.assignment && lazy.beliefs == eager.beliefs);
            for (std::size_t g = 0; g < lazy.calls.size(); ++g)
                if (!lazy.infeasible) CHECK(lazy.calls[g] + lazy.skipped[g] == eager.calls[g]);
        }
}

TEST(ad3_bounds_and_certifies) {
    for (Family family : families)
        for (int seed = 0; seed < 150; ++seed) {
            Random random(seed, static_cast<int>(family));
            const FactorGraph graph = draw_graph(family, random);
            const Outcome outcome = ad3(graph, {.iterations = 300});
            check(graph, family, outcome, best_value(graph), false);
        }
}

TEST(branch_and_bound_is_exact) {
    for (Family family : families)
        for (int seed = 0; seed < 150; ++seed) {
            Random random(seed, static_cast<int>(family));
            const FactorGraph graph = draw_graph(family, random);
            const BoundingSolver solve = [](const FactorGraph& node, double cutoff, Multipliers& multipliers) {
                return ad3(node, {.iterations = 50, .cutoff = cutoff}, &multipliers);
            };
            check(graph, family, branch_and_bound(graph, solve, 10000), best_value(graph), true);
            const Outcome early = branch_and_bound(graph, solve, 1);
            check(graph, family, early, best_value(graph), false);
        }
}

TEST(branch_and_bound_begins_with_what_is_known) {
    for (Family family : families)
        for (int seed = 0; seed < 150; ++seed) {
            Random random(seed, static_cast<int>(family));
            const FactorGraph graph = draw_graph(family, random);
            const Outcome found = exact_ad3(graph, {.iterations = 50}, 10000);
            check(graph, family, exact_ad3(graph, {.iterations = 50}, 10000, found.assignment), best_value(graph),
                  true);
            Assignment any(graph.slots());
            for (auto& slot : any) slot = random.uniform() < 0.5;
            check(graph, family, exact_ad3(graph, {.iterations = 50}, 10000, any), best_value(graph), true);
        }
}

TEST(what_is_fixed_holds_for_all_better_assignments) {
    Arena arena;
    int fixed = 0;
    for (Family family : families)
        for (int seed = 0; seed < 150; ++seed) {
            Random random(seed, static_cast<int>(family));
            const FactorGraph graph = draw_graph(family, random);
            const double best = best_value(graph);
            if (best == -INFINITY) continue;
            const double least = best - random.uniform();
            Multipliers multipliers;
            ad3(graph, {.iterations = 1 + static_cast<int>(random.uniform() * 20)}, &multipliers);
            const std::vector<Decision> decisions = find_fixed(graph, multipliers, least);
            fixed += static_cast<int>(decisions.size());
            Assignment assignment(graph.slots());
            for (unsigned bits = 0; bits < 1u << graph.slots(); ++bits) {
                for (int slot = 0; slot < graph.slots(); ++slot) assignment[slot] = bits >> slot & 1;
                if (graph.value(assignment, arena) <= least + rounding(family, best)) continue;
                for (const Decision& decision : decisions) CHECK(assignment[decision.slot] == decision.is_true);
            }
        }
    CHECK(fixed > 500);
}
