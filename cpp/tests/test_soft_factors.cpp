// Soft factors in the core, where the sanitizers see them. Agreement with enumeration is tested from Python; here
// oracles are tested against each other, and fast ways against slow ones.
#include <algorithm>
#include <cmath>
#include <memory>

#include "check.hpp"
#include "factors/and_any.hpp"
#include "factors/counts.hpp"
#include "factors/no_cross.hpp"
#include "factors/pairs.hpp"
#include "factors/table.hpp"
#include "factors/tag_chain.hpp"
#include "factors/tag_link.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

enum class Family { normal, tied, sparse, extreme };

double draw(Family family, Random& random) {
    const double score = 4 * random.uniform() - 2;
    if (family == Family::tied) return std::floor(score);
    if (family == Family::extreme) return score * 1e4;
    return family == Family::sparse && random.uniform() < 0.3 ? -INFINITY : score;
}

std::vector<double> draw(std::size_t count, Family family, Random& random) {
    std::vector<double> scores(count);
    for (double& score : scores) score = draw(family, random);
    return scores;
}

bool is_close(double a, double b, double tolerance = 1e-9) {
    return a == b || std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

Wiring one_factor(const Variables& variables, int begin, int end) {
    std::vector<Input> inputs;
    for (int v = begin; v < end; ++v) inputs.push_back({v});
    Wiring wiring;
    wiring.add_factor(variables, inputs);
    return wiring;
}

// Every oracle of one factor, for some `in`.
void check_factor(const FactorGroup& group, std::size_t factor, Family family, Random& random) {
    Arena arena;
    const Wiring& wiring = group.wiring();
    const int ports = wiring.port_count(factor);
    std::vector<double> in = draw(ports, family, random);
    for (std::size_t input = wiring.input_begin(factor); input < wiring.input_end(factor); ++input)
        if (!wiring.is_category(input) && family == Family::sparse && random.uniform() < 0.1)
            in[wiring.input_port(input) - wiring.port_begin(factor)] = INFINITY;
    std::vector<double> beliefs(ports), highest(ports), parts(group.part_count(factor)), z(ports);
    const double sum = group.sum(factor, in.data(), beliefs.data(), parts.data(), arena);
    const double max = group.max(factor, in.data(), highest.data(), arena);
    Configuration found;
    const double best = group.best(factor, in.data(), found, arena);
    ActiveSet cache;
    const bool is_possible = group.project(factor, in.data(), 1, z.data(), cache, arena);
    CHECK(is_possible == (best > -INFINITY));
    CHECK(is_close(best, max) && sum >= max - 1e-9 * (1 + std::abs(max)));
    for (double belief : beliefs) CHECK(!std::isnan(belief));
    for (double belief : highest) CHECK(!std::isnan(belief));
    for (double part : parts) CHECK(part >= 0 && part <= 1 + 1e-9);
    Polytope polytope(ports);
    group.polytope(factor, TreeRows::multi_commodity, polytope);
    for (int column : polytope.columns) CHECK(column >= 0 && column < ports + static_cast<int>(polytope.scores.size()));
    if (!is_possible) return;
    CHECK(is_close(group.score(factor, found.active, arena), found.inner));
    double value = found.inner;
    for (int port : found.active) value += in[port] == INFINITY ? 0 : in[port];
    CHECK(is_close(value, best));
    double of_parts = 0;
    std::fill(parts.begin(), parts.end(), 0.0);
    group.add_parts(factor, found.active, 1, parts.data(), arena);
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i] > 0) of_parts += group.part_scores()[group.part_begin(factor) + i];
    CHECK(is_close(of_parts, found.inner));
}

std::unique_ptr<NoCross> all_crossings(const Variables& variables, int words, const std::vector<double>& scores) {
    std::vector<CandidateArc> arcs;
    for (int h = 0; h <= words; ++h)
        for (int m = 1; m <= words; ++m)
            if (h != m) arcs.push_back({{h * (words + 1) + m}, h, m});
    return std::make_unique<NoCross>(variables, arcs, words, scores);
}

}  // namespace

TEST(soft_factors_agree_with_themselves) {
    Random random(11);
    for (Family family : {Family::normal, Family::tied, Family::sparse, Family::extreme})
        for (int size = 1; size <= 6; ++size) {
            Variables variables;
            const int words = size + 1;
            for (int i = 0; i < (words + 1) * (words + 1); ++i) variables.add_binary();
            const int tags = variables.count();
            for (int i = 0; i < size; ++i) variables.add_category(1 + (i + size) % 3);
            variables.add_category(2);
            variables.add_category(size);

            Wiring pairs, links;
            for (int i = 0; i < size; ++i) {
                const Input pair[2] = {{i}, {i + 1, i % 2 == 1}};
                pairs.add_factor(variables, pair);
                const Input link[3] = {{i, i % 2 == 0}, {tags + size}, {tags + size + 1}};
                links.add_factor(variables, link);
            }
            std::size_t bigrams = 0, trigrams = 0, cells = 1;
            const auto values = [&](int i) { return static_cast<std::size_t>(variables.size(tags + i)); };
            for (int i = 0; i < size; ++i) {
                cells *= values(i);
                if (i + 1 < size) bigrams += values(i) * values(i + 1);
                if (i + 2 < size) trigrams += values(i) * values(i + 1) * values(i + 2);
            }
            const Wiring row = one_factor(variables, tags, tags + size);
            const std::unique_ptr<FactorGroup> groups[] = {
                std::make_unique<Pairs>(pairs, draw(size, family, random)),
                std::make_unique<TagLink>(links, draw(2 * size * size, family, random)),
                std::make_unique<Table>(row, draw(cells, family, random)),
                std::make_unique<Table>(one_factor(variables, tags - 2, tags + 1), draw(4 * values(0), family, random)),
                std::make_unique<TagChain>(row, draw(bigrams, family, random), std::vector<double>{}),
                std::make_unique<TagChain>(row, draw(bigrams, family, random), draw(trigrams, family, random)),
                std::make_unique<Counts>(one_factor(variables, 0, size), 4, draw(4, family, random)),
                std::make_unique<AndAny>(one_factor(variables, 0, size + 1), draw(1, family, random)),
                all_crossings(variables, words, draw((words + 1) * (words + 1), family, random)),
            };
            for (const auto& group : groups)
                for (std::size_t factor = 0; factor < group->size(); ++factor)
                    check_factor(*group, factor, family, random);
        }
}

TEST(odds_of_pairs_are_what_the_oracle_says) {
    Random random(5);
    constexpr int variables_count = 9, pairs_count = 61;  // more messages a variable than fit into one product
    Variables variables;
    for (int i = 0; i < variables_count; ++i) variables.add_binary();
    for (double scale : {0.1, 3.0, 25.0})
        for (double damping : {0.0, 0.3}) {
            Wiring wiring;
            for (int i = 0; i < pairs_count; ++i) {
                const int a = static_cast<int>(random.uniform() * 2), b = 2 + i % (variables_count - 2);
                const Input inputs[2] = {{a, i % 3 == 0}, {b, i % 5 == 0}};
                wiring.add_factor(variables, inputs);
            }
            std::vector<double> scores = draw(pairs_count, Family::normal, random);
            for (double& score : scores) score *= scale;
            const Pairs pairs(wiring, scores);
            CHECK(pairs.has_odds());
            std::vector<double> odds(wiring.ports(), 1.0), logs(wiring.ports(), 0.0);
            const std::vector<double> unary = {1, -2, 5e3, -5e3, INFINITY, -INFINITY, 0, 40, -0.1};
            Arena arena;
            for (int round = 0; round < 6; ++round) {
                Totals totals(variables_count), slow(variables_count);
                for (int slot = 0; slot < variables_count; ++slot) {
                    totals.add(slot, unary[slot]);
                    slow.add(slot, unary[slot]);
                }
                pairs.add_messages(odds.data(), totals);
                for (std::size_t port = 0; port < wiring.ports(); ++port)
                    slow.add(wiring.slot(port), wiring.is_negated(port) ? -logs[port] : logs[port]);
                for (int slot = 0; slot < variables_count; ++slot) CHECK(is_close(totals(slot), slow(slot)));
                CHECK(pairs.propagate(totals, damping, odds.data(), arena));
                for (std::size_t factor = 0; factor < pairs.size(); ++factor) {
                    double in[2], beliefs[2];
                    pairs.gather(factor, slow, logs.data(), in);
                    pairs.sum(factor, in, beliefs, nullptr, arena);
                    for (int side = 0; side < 2; ++side) {
                        // Where a variable is certain the oracle has no message; it would be this.
                        if (!std::isinf(in[side])) continue;
                        double with[2] = {in[0], in[1]}, result[2];
                        with[side] = 0;
                        pairs.sum(factor, with, result, nullptr, arena);
                        in[side] = 0;
                        beliefs[side] = result[side];
                    }
                    pairs.set_messages(factor, in, beliefs, damping, logs.data());
                }
                for (std::size_t port = 0; port < wiring.ports(); ++port)
                    CHECK(std::abs(std::log(odds[port]) - logs[port]) < 1e-9 * (1 + 5e3));
            }
        }
}

TEST(extreme_pairs_are_not_odds) {
    Variables variables;
    for (int i = 0; i < 2; ++i) variables.add_binary();
    for (double score : {static_cast<double>(-INFINITY), 51.0, -1e4})
        CHECK(!Pairs(one_factor(variables, 0, 2), {score}).has_odds());
}

TEST(crossings_in_logarithms_and_in_weights_agree) {
    Random random(3);
    constexpr int words = 7;
    Variables variables;
    for (int i = 0; i < (words + 1) * (words + 1); ++i) variables.add_binary();
    for (int round = 0; round < 20; ++round) {
        const auto group = all_crossings(variables, words, draw((words + 1) * (words + 1), Family::normal, random));
        Arena arena;
        for (std::size_t factor = 0; factor < group->size(); ++factor) {
            const int ports = group->wiring().port_count(factor), last = ports - 1;
            std::vector<double> in = draw(ports, Family::normal, random), weights(ports), logs(ports);
            double crossed_weights, crossed_logs;
            in[last] = -240;  // just not too far from the others
            const double a = group->sum(factor, in.data(), weights.data(), &crossed_weights, arena);
            in[last] = -260;
            const double b = group->sum(factor, in.data(), logs.data(), &crossed_logs, arena);
            CHECK(is_close(a, b) && is_close(crossed_weights, crossed_logs));
            for (int port = 0; port < last; ++port) CHECK(is_close(weights[port], logs[port]));
            CHECK(is_close(weights[last] - 20, logs[last]));
        }
    }
}

TEST(wrong_soft_factors_are_refused) {
    Variables variables;
    for (int i = 0; i < 3; ++i) variables.add_binary();
    variables.add_category(2);
    const auto is_refused = [](auto make) {
        try {
            make();
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(is_refused([&] { Pairs(one_factor(variables, 0, 3), {0.0}); }));
    CHECK(is_refused([&] { Pairs(one_factor(variables, 2, 4), {0.0}); }));
    CHECK(is_refused([&] { Pairs(one_factor(variables, 0, 2), {0.0, 0.0}); }));
    CHECK(is_refused([&] { Pairs(one_factor(variables, 0, 2), {NAN}); }));
    CHECK(is_refused([&] { Table(one_factor(variables, 0, 4), std::vector<double>(15)); }));
    CHECK(is_refused([&] { Counts(one_factor(variables, 0, 3), 0, {}); }));
    CHECK(is_refused([&] { Counts(one_factor(variables, 0, 3), 2, std::vector<double>(3)); }));
    CHECK(is_refused([&] { Counts(one_factor(variables, 2, 4), 2, std::vector<double>(2)); }));
    CHECK(is_refused([&] { TagChain(one_factor(variables, 2, 4), std::vector<double>(2), {}); }));
    CHECK(is_refused([&] { TagChain(one_factor(variables, 3, 4), std::vector<double>(1), {}); }));
    CHECK(is_refused([&] { TagLink(one_factor(variables, 1, 4), std::vector<double>(2)); }));
    CHECK(is_refused([&] { NoCross(variables, {{{0}, 1, 1}}, 2, std::vector<double>(9)); }));
    CHECK(is_refused([&] { NoCross(variables, {{{0}, 1, 0}}, 2, std::vector<double>(9)); }));
    CHECK(is_refused([&] { NoCross(variables, {{{0}, 0, 1}}, 2, std::vector<double>(8)); }));
}
