// Message passing on random graphs, with cycles and without, on scores that hurt, where the sanitizers see it.
#include <cmath>

#include "check.hpp"
#include "listed_factor.hpp"
#include "solvers/belief_propagation.hpp"
#include "solvers/bethe.hpp"
#include "solvers/enumeration.hpp"
#include "solvers/max_product.hpp"
#include "solvers/replay.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

enum class Style { mild, tied, extreme, impossible };

double draw(Random& random, Style style) {
    const double score = 4 * random.uniform() - 2;
    if (style == Style::tied) return std::floor(score);
    if (style == Style::extreme) return score * std::pow(10.0, 4 * random.uniform());
    return style == Style::impossible && random.uniform() < 0.2 ? -INFINITY : score;
}

// A factor over some variables that allows most of their joint values, each with a score.
std::shared_ptr<FactorGroup> draw_factor(const FactorGraph& graph, const std::vector<int>& variables, Random& random,
                                         Style style) {
    std::vector<Input> inputs;
    for (int v : variables) inputs.push_back({v, !graph.variables().is_category(v) && random.uniform() < 0.3});
    Wiring wiring;
    wiring.add_factor(graph.variables(), inputs);
    std::vector<Configuration> kept;
    for (Configuration& one : all_configurations(wiring)) {
        if (!kept.empty() && random.uniform() < 0.25) continue;
        one.inner = draw(random, style);
        kept.push_back(std::move(one));
    }
    return std::make_shared<ListedFactor>(std::move(wiring), std::move(kept));
}

FactorGraph draw_variables(Random& random, Style style, int count) {
    FactorGraph graph;
    for (int v = 0; v < count; ++v) {
        std::vector<double> scores(3);
        for (double& score : scores) score = draw(random, style);
        if (random.uniform() < 0.25)
            graph.add_category(scores.data(), 3);
        else
            graph.add_binary(scores[0]);
        if (random.uniform() < 0.1) graph.clamp(v, random.uniform() < 0.5);
    }
    return graph;
}

// Every factor hangs on one variable that another one sees, and on new ones.
FactorGraph draw_tree(Random& random, Style style) {
    FactorGraph graph = draw_variables(random, style, 7);
    for (int v = 1; v < 7;) {
        std::vector<int> seen{static_cast<int>(random.uniform() * v), v++};
        if (v < 7 && random.uniform() < 0.4) seen.push_back(v++);
        graph.add(draw_factor(graph, seen, random, style));
    }
    return graph;
}

FactorGraph draw_loopy(Random& random, Style style) {
    FactorGraph graph = draw_variables(random, style, 6);
    for (int f = 0; f < 6; ++f) {
        const int first = static_cast<int>(random.uniform() * 6);
        std::vector<int> seen{first, (first + 1 + static_cast<int>(random.uniform() * 2)) % 6};
        if (random.uniform() < 0.5) seen.push_back((first + 3) % 6);
        graph.add(draw_factor(graph, seen, random, style));
    }
    return graph;
}

bool is_near(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

void check_sound(const FactorGraph& graph, const Outcome& found, const Outcome& exact) {
    for (double belief : found.beliefs) CHECK(belief >= 0 && belief <= 1);
    for (const auto& group : found.parts)
        for (double part : group) CHECK(!std::isnan(part));
    for (double residual : found.residuals) CHECK(residual >= 0 && residual <= 2);
    for (double value : found.values) CHECK(!std::isnan(value));
    for (double entropy : found.variable_entropies) CHECK(entropy >= 0);
    CHECK(!found.infeasible || exact.infeasible);
    CHECK(!(found.converged && found.infeasible));
    Arena arena;
    if (found.value != -INFINITY) CHECK(graph.value(found.assignment, arena) == found.value);
    CHECK(found.value <= exact.value || is_near(found.value, exact.value));
}

constexpr Style styles[] = {Style::mild, Style::tied, Style::extreme, Style::impossible};
constexpr Schedule schedules[] = {Schedule::flooding, Schedule::serial, Schedule::residual};

}  // namespace

TEST(propagation_is_exact_without_cycles) {
    Random random(7);
    PropagationOptions options;
    options.tolerance = 1e-13;
    for (int trial = 0; trial < 100; ++trial)
        for (Style style : styles) {
            const FactorGraph graph = draw_tree(random, style);
            const Outcome exact = enumerate(graph, 1e6);
            for (Schedule schedule : schedules) {
                options.schedule = schedule;
                const Outcome sums = belief_propagation(graph, options), best = max_product(graph, options);
                check_sound(graph, sums, exact);
                check_sound(graph, best, exact);
                CHECK(sums.infeasible == exact.infeasible && best.infeasible == exact.infeasible);
                CHECK(sums.converged != exact.infeasible);
                CHECK(is_near(sums.log_partition, exact.log_partition));
                CHECK(is_near(best.value, exact.value));
                for (int slot = 0; slot < graph.slots(); ++slot)
                    CHECK(std::abs(sums.beliefs[slot] - exact.beliefs[slot]) < 1e-9);
            }
        }
}

// If all messages are stretched a little, the Bethe value changes by the square of that: they rest where it is
// stationary.
TEST(bethe_is_stationary) {
    Random random(5);
    PropagationOptions options;
    options.tolerance = 1e-14;
    options.iterations = 2000;
    options.damping = 0.3;
    Arena arena;
    std::vector<std::vector<double>> parts;
    int rests = 0;
    for (int trial = 0; trial < 40; ++trial) {
        const FactorGraph graph = draw_loopy(random, Style::mild);
        MessageState state(graph, Oracle::sum, true);
        Outcome outcome;
        run(state, options, outcome, arena);
        if (!outcome.converged) continue;
        ++rests;
        const auto stretched = [&](double multiplier) {
            MessageState other(graph, Oracle::sum, true);
            other.start_from(state, multiplier);
            return bethe(other, parts, arena);
        };
        const double step = 1e-4, slope = (stretched(1 + step) - stretched(1 - step)) / (2 * step);
        CHECK(std::abs(slope) < 1e-6);
    }
    CHECK(rests > 10);
}

TEST(propagation_is_sound_with_cycles) {
    Random random(11);
    PropagationOptions options;
    options.wants_entropies = true;
    options.iterations = 15;
    options.keeps_values = true;
    for (int trial = 0; trial < 150; ++trial)
        for (Style style : styles) {
            const FactorGraph graph = draw_loopy(random, style);
            const Outcome exact = enumerate(graph, 1e6);
            options.schedule = schedules[trial % 3];
            options.damping = trial % 2 ? 0.0 : 0.5;
            check_sound(graph, belief_propagation(graph, options), exact);
            check_sound(graph, max_product(graph, options), exact);
            check_sound(graph, anneal(graph, {4, 0.1, options}), exact);
        }
}

TEST(a_propagation_can_be_taken_again_from_where_it_was) {
    Arena arena;
    std::vector<double> own, others;
    for (int seed = 0; seed < 50; ++seed) {
        Random random(seed, 77);
        const FactorGraph graph = draw_loopy(random, Style::mild);
        const MessageState start(graph, Oracle::sum, false);
        MessageState state = start;
        for (int i = 0; i < 3 && state.is_possible(); ++i)
            for (std::size_t g = 0; g < state.groups() && state.is_possible(); ++g) {
                MessageState again = start;
                again.restore(state, g);
                state.propagate(g, 0, arena);
                again.propagate(g, 0, arena);
                const std::size_t ports = state.group(g).wiring().ports();
                const double *expected = state.logarithms(g, own), *found = again.logarithms(g, others);
                CHECK(std::equal(expected, expected + ports, found));
                if (state.is_possible()) state.absorb(g);
            }
        if (!state.is_possible()) continue;
        const Replay replay = replay_propagation(graph, 3, 2);
        for (const auto& times : {replay.together, replay.alone}) {
            CHECK(times.size() == state.groups());
            for (double seconds : times) CHECK(std::isfinite(seconds) && seconds > 0);
        }
    }
}
