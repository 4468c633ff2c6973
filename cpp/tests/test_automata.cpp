// Factors on the modifiers of a head, where the sanitizers see them: on scores that hurt, what the oracles say must fit
// together. Agreement with enumeration is tested from Python.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "factors/bigram_paths.hpp"
#include "factors/child_sequences.hpp"
#include "factors/child_trigrams.hpp"
#include "factors/grand_siblings.hpp"
#include "factors/head_automata.hpp"
#include "factors/trigrams.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

Wiring wiring_of(const std::vector<int>& ports) {
    Variables variables;
    Wiring wiring;
    for (int count : ports) {
        std::vector<Input> inputs;
        for (int i = 0; i < count; ++i) inputs.push_back({variables.add_binary()});
        wiring.add_factor(variables, inputs);
    }
    return wiring;
}

double draw_score(int family, Random& random) {
    const double score = 4 * random.uniform() - 2;
    if (family == 1) return std::floor(score);
    if (family == 2) return 1e4 * score;
    return family == 3 && random.uniform() < 0.3 ? -INFINITY : score;
}

std::vector<double> draw_scores(std::size_t count, int family, Random& random) {
    std::vector<double> scores(count);
    for (double& score : scores) score = draw_score(family, random);
    return scores;
}

bool is_near(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

void check_projection(const FactorGroup& group, std::size_t factor, const double* in, bool is_possible, Arena& arena) {
    const int ports = group.wiring().port_count(factor);
    std::vector<double> z(ports);
    ActiveSet cache;
    CHECK(group.project(factor, in, 0.5, z.data(), cache, arena) == is_possible);
    if (!is_possible) return;
    CHECK(std::abs(std::accumulate(cache.weights.begin(), cache.weights.end(), 0.0) - 1) < 1e-9);
    for (int port = 0; port < ports; ++port) {
        CHECK(z[port] >= 0 && z[port] <= 1);
        if (std::isinf(in[port])) CHECK(z[port] == (in[port] > 0));
    }
}

void check_oracles(const FactorGroup& group, int family, Random& random) {
    Arena arena;
    for (std::size_t factor = 0; factor < group.size(); ++factor) {
        const int ports = group.wiring().port_count(factor);
        std::vector<double> in = draw_scores(ports, family, random), beliefs(ports), max_beliefs(ports);
        for (double& number : in)
            if (family == 3 && random.uniform() < 0.1) number = INFINITY;
        std::vector<double> parts(group.part_count(factor)), counted(parts.size(), 0.0);
        Configuration found;
        const double sum = group.sum(factor, in.data(), beliefs.data(), parts.data(), arena);
        const double max = group.max(factor, in.data(), max_beliefs.data(), arena);
        const double best = group.best(factor, in.data(), found, arena);
        CHECK(is_near(best, max));
        CHECK((sum == -INFINITY) == (max == -INFINITY) && (sum == max || sum >= max - 1e-9 * (1 + std::abs(max))));
        check_projection(group, factor, in.data(), best != -INFINITY, arena);
        if (best == -INFINITY) {
            CHECK(std::count(beliefs.begin(), beliefs.end(), 0.0) == ports);
            CHECK(std::count(parts.begin(), parts.end(), 0.0) == std::ssize(parts));
            continue;
        }
        CHECK(std::is_sorted(found.active.begin(), found.active.end()));
        CHECK(is_near(group.score(factor, found.active, arena), found.inner));
        group.add_parts(factor, found.active, 2.0, counted.data(), arena);
        double inner = 0, total = found.inner;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            CHECK(parts[part] >= 0 && parts[part] <= 1 + 1e-9);
            if (counted[part] > 0) inner += counted[part] / 2 * group.part_scores()[group.part_begin(factor) + part];
        }
        CHECK(is_near(inner, found.inner));
        for (int port : found.active) {
            CHECK(max_beliefs[port] >= -1e-9 * (1 + std::abs(max)));
            total += in[port] == INFINITY ? 0 : in[port];
        }
        CHECK(is_near(total, best));
        for (int port = 0; port < ports; ++port) {
            CHECK(!std::isnan(beliefs[port]) && !std::isnan(max_beliefs[port]));
            // Where all scores are finite, a belief is infinite only if a choice must be made and is made already.
            if (family != 3 && std::string(group.kind()) != "GrandSiblings") CHECK(std::isfinite(beliefs[port]));
        }
    }
}

}  // namespace

TEST(child_sequences_are_consistent) {
    Random random(11);
    for (int trial = 0; trial < 40; ++trial) {
        const std::vector<int> ports{0, 1, 2, 3 + trial % 5, 20};
        std::size_t count = 0;
        for (int modifiers : ports) count += bigram_count(modifiers);
        const ChildSequences group(wiring_of(ports), draw_scores(count, trial % 4, random));
        check_oracles(group, trial % 4, random);
        check_oracles(*group.scaled(0.5), trial % 4, random);
    }
}

TEST(child_trigrams_are_consistent) {
    Random random(14);
    for (int trial = 0; trial < 40; ++trial) {
        const std::vector<int> ports{0, 1, 2, 3 + trial % 5, 12};
        std::size_t count = 0;
        for (int modifiers : ports) count += trigram_count(modifiers);
        const ChildTrigrams group(wiring_of(ports), draw_scores(count, trial % 4, random));
        check_oracles(group, trial % 4, random);
        check_oracles(*group.scaled(0.5), trial % 4, random);
    }
}

TEST(grand_siblings_are_consistent) {
    Random random(12);
    for (int trial = 0; trial < 40; ++trial) {
        const std::vector<int> grandparents{0, 1, 2, 5, 0}, left{0, 0, 3, 4, 2}, right{0, 1, 2, trial % 6, 9};
        std::vector<int> ports;
        std::size_t count = 0;
        for (int i = 0; i < 5; ++i) {
            ports.push_back(grandparents[i] + left[i] + right[i]);
            count += std::max(grandparents[i], 1) * (bigram_count(left[i]) + bigram_count(right[i]));
        }
        const GrandSiblings group(wiring_of(ports), grandparents, left, draw_scores(count, trial % 4, random));
        check_oracles(group, trial % 4, random);
        check_oracles(*group.scaled(2), trial % 4, random);
    }
}

TEST(head_automata_are_consistent) {
    Random random(13);
    for (int trial = 0; trial < 40; ++trial) {
        const std::vector<int> ports{0, 1, 3, 15}, states{1 + trial % 4, 1, 5, 3};
        std::size_t count = 0;
        for (int i = 0; i < 4; ++i) count += 2 * states[i] + ports[i] * states[i] * states[i];
        const HeadAutomata group(wiring_of(ports), states, draw_scores(count, trial % 4, random));
        check_oracles(group, trial % 4, random);
        check_oracles(*group.scaled(3), trial % 4, random);
    }
}

TEST(groups_refuse_scores_that_are_not_theirs) {
    int refused = 0;
    const auto refuses = [&](auto make) {
        try {
            make();
        } catch (const std::invalid_argument&) {
            ++refused;
        }
    };
    refuses([] { ChildSequences(wiring_of({2}), std::vector<double>(5)); });
    refuses([] { ChildSequences(wiring_of({0}), {NAN}); });
    refuses([] { ChildTrigrams(wiring_of({2}), std::vector<double>(3)); });
    refuses([] { GrandSiblings(wiring_of({2}), {2}, {1}, std::vector<double>(4)); });
    refuses([] { GrandSiblings(wiring_of({2}), {1}, {1}, std::vector<double>(5)); });
    refuses([] { HeadAutomata(wiring_of({2}), {0}, {}); });
    refuses([] { HeadAutomata(wiring_of({2}), {2}, std::vector<double>(11)); });
    CHECK(refused == 7);
}
