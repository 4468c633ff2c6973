// Trees and logic as factors, where the sanitizers see them and at sizes that enumeration does not reach: oracles are
// tested against each other and against the trees room. Agreement with enumeration is tested from Python.
#include <cmath>
#include <memory>

#include "check.hpp"
#include "factors/cardinality.hpp"
#include "factors/choice.hpp"
#include "factors/cuts.hpp"
#include "factors/graph.hpp"
#include "factors/logic.hpp"
#include "factors/projective_tree.hpp"
#include "factors/tree.hpp"
#include "support/lanes.hpp"
#include "support/random.hpp"
#include "trees/operations.hpp"

using namespace arbora;

namespace {

enum class Style { normal, tied, extreme, impossible, certain };
constexpr Style styles[] = {Style::normal, Style::tied, Style::extreme, Style::impossible, Style::certain};

std::vector<double> draw(int count, Style style, Random& random) {
    std::vector<double> numbers(count);
    for (double& x : numbers) {
        x = 6 * random.uniform() - 3;
        if (style == Style::tied) x = std::floor(x);
        if (style == Style::extreme) x *= std::pow(10, 5 * random.uniform());
        if (style >= Style::impossible && random.uniform() < 0.3) x = -INFINITY;
        if (style == Style::certain && random.uniform() < 0.03) x = INFINITY;
    }
    return numbers;
}

bool close(double a, double b, double scale = 1) { return a == b || std::fabs(a - b) <= 1e-9 * scale; }

double largest(const std::vector<double>& numbers) {
    double result = 1;
    for (double x : numbers)
        if (!std::isinf(x)) result += std::fabs(x);
    return result;
}

// Beliefs of `max` are what `best` says if a port must be true and if it must be false; `sum` is at least that, nothing
// is nan, and all agree on whether anything is possible.
void check_oracles(const FactorGroup& group, const std::vector<double>& in) {
    Arena arena;
    const int ports = group.wiring().port_count(0);
    std::vector<double> sums(ports), maxima(ports), forced = in, z(ports);
    Configuration found;
    const double total = group.sum(0, in.data(), sums.data(), nullptr, arena);
    const double highest = group.max(0, in.data(), maxima.data(), arena);
    const double best = group.best(0, in.data(), found, arena);
    const double scale = largest(in);
    CHECK(close(highest, best, scale));
    CHECK((total == -INFINITY) == (best == -INFINITY));
    if (best == -INFINITY) return;
    CHECK(total >= best - 1e-9 * scale);
    CHECK(group.score(0, found.active, arena) == 0);
    double score = 0;
    for (int port : found.active) score += in[port] == INFINITY ? 0 : in[port];
    CHECK(close(score, best, scale));
    for (int port = 0; port < ports; ++port) {
        CHECK(!std::isnan(sums[port]) && !std::isnan(maxima[port]));
        double values[2];
        for (int value : {0, 1}) {
            const bool never = in[port] == (value ? -INFINITY : INFINITY);
            forced[port] = value ? INFINITY : -INFINITY;
            const double outside = value && !std::isinf(in[port]) ? in[port] : 0;
            values[value] = never ? -INFINITY : group.best(0, forced.data(), found, arena) + outside;
        }
        forced[port] = in[port];
        CHECK(close(maxima[port], values[1] - values[0], scale));
        CHECK((sums[port] == INFINITY) == (values[0] == -INFINITY));
        CHECK((sums[port] == -INFINITY) == (values[1] == -INFINITY));
    }
}

Wiring wired(int inputs) {
    Variables variables;
    std::vector<Input> all;
    for (int i = 0; i < inputs; ++i) all.push_back({variables.add_binary()});
    Wiring wiring;
    wiring.add_factor(variables, all);
    return wiring;
}

// All arcs, or (one in three is kept, in reverse) some.
CandidateArcs arcs_of(int words, bool all, bool single_root, Random& random) {
    std::vector<int> heads, modifiers;
    for (int h = words; h >= 0; --h)
        for (int m = words; m >= 1; --m)
            if (h != m && (all || random.uniform() < 0.3 || h == m - 1)) heads.push_back(h), modifiers.push_back(m);
    return CandidateArcs(words, heads, modifiers, single_root);
}

std::vector<double> table_of(const CandidateArcs& arcs, const std::vector<double>& in) {
    std::vector<double> scores(arcs.cells());
    ScoreRange range;
    arcs.fill_scores(in.data(), scores.data(), range);
    return scores;
}

}  // namespace

TEST(logic_factors_agree_with_themselves) {
    Random random(1, 0);
    for (Style style : styles)
        for (int inputs = 1; inputs <= 12; ++inputs)
            for (int round = 0; round < 5; ++round) {
                const auto in = draw(inputs, style, random);
                check_oracles(OneOfFactor("ExactlyOne", wired(inputs), false), in);
                check_oracles(OneOfFactor("AtMostOne", wired(inputs), true), in);
                check_oracles(OrFactor("Or", wired(inputs)), in);
                check_oracles(OrWithOutputFactor("OrWithOutput", wired(inputs)), in);
                if (inputs % 2)
                    for (bool or_none : {false, true})
                        check_oracles(ChoiceFactor("Choice", wired(inputs), or_none), in);
                for (int limit : {0, 1, 3, inputs, inputs + 2})
                    check_oracles(AtMostFactor("AtMost", wired(inputs), {limit}), in);
            }
}

TEST(tree_factors_agree_with_themselves) {
    Random random(2, 0);
    for (Style style : styles)
        for (int words : {1, 2, 3, 4, 6, 9, 17, 21})
            for (bool all : {true, false})
                for (bool single_root : {true, false}) {
                    const CandidateArcs arcs = arcs_of(words, all, single_root, random);
                    const auto in = draw(arcs.count(), style, random);
                    check_oracles(TreeFactor(wired(arcs.count()), arcs), in);
                    if (words < 12) check_oracles(ProjectiveTreeFactor(wired(arcs.count()), arcs), in);
                }
}

// The same beliefs as the trees room, up to n = 40; there probabilities, here log-odds.
TEST(tree_factors_agree_with_trees) {
    Random random(3, 0);
    Arena arena;
    for (Style style : {Style::normal, Style::tied, Style::extreme, Style::impossible})
        for (int words : {1, 2, 5, 16, 25, 33, 40})
            for (bool single_root : {true, false}) {
                const CandidateArcs arcs = arcs_of(words, true, single_root, random);
                const auto in = draw(arcs.count(), style, random);
                const auto scores = table_of(arcs, in);
                for (bool projective : {false, true}) {
                    std::unique_ptr<FactorGroup> group;
                    if (projective)
                        group = std::make_unique<ProjectiveTreeFactor>(wired(arcs.count()), arcs);
                    else
                        group = std::make_unique<TreeFactor>(wired(arcs.count()), arcs);
                    std::vector<double> beliefs(arcs.count()), marginals(arcs.cells());
                    const double total = group->sum(0, in.data(), beliefs.data(), nullptr, arena);
                    const SentenceScores sentence{scores.data(), words, 0};
                    const TreeKind kind{single_root, projective};
                    try {
                        find_marginals(sentence, kind, false, marginals.data());
                    } catch (const Infeasible&) {
                        CHECK(total == -INFINITY);
                        continue;
                    }
                    CHECK(close(total, find_log_partition(sentence, kind), largest(in)));
                    for (int port = 0; port < arcs.count(); ++port) {
                        const double p = marginals[arcs.head(port) * (words + 1) + arcs.modifier(port)];
                        CHECK(close(1 / (1 + std::exp(-beliefs[port])), p));
                    }
                }
            }
}

// What is nearly certain: the odds against it are the sum of what little the others have.
TEST(tree_factors_are_precise_near_certainty) {
    Arena arena;
    for (double lead : {30.0, 60.0, 600.0, 5000.0}) {
        const CandidateArcs arcs(2, {0, 0, 1, 2}, {1, 2, 2, 1}, true);
        const std::vector<double> in{lead, 0, lead, 0};  // 0 -> 1 -> 2, or 0 -> 2 -> 1
        std::vector<double> beliefs(4);
        const TreeFactor tree(wired(4), arcs);
        tree.sum(0, in.data(), beliefs.data(), nullptr, arena);
        for (int port : {0, 1, 2, 3}) CHECK(close(beliefs[port], port % 2 ? -2 * lead : 2 * lead, lead));
    }
}

TEST(cuts_are_found_if_and_only_if_there_are_any) {
    Random random(4, 0);
    Arena arena;
    for (int words : {2, 3, 5, 9}) {
        const CandidateArcs arcs = arcs_of(words, true, false, random);
        const TreeFactor tree(wired(arcs.count()), arcs);
        // A mixture of trees violates nothing.
        std::vector<double> values(arcs.count(), 0.0);
        Configuration found;
        for (int i = 0; i < 4; ++i) {
            const auto in = draw(arcs.count(), Style::normal, random);
            tree.best(0, in.data(), found, arena);
            for (int port : found.active) values[port] += 0.25;
        }
        CHECK(violated_cuts(arcs, values.data()).empty());
        // Half a cycle of two words does, and the cut is what enters it.
        std::fill(values.begin(), values.end(), 0.0);
        for (int m = 1; m <= words; ++m) values[arcs.port(0, m)] = m <= 2 ? 0.25 : 1;
        values[arcs.port(1, 2)] = values[arcs.port(2, 1)] = 0.75;
        const auto cuts = violated_cuts(arcs, values.data());
        CHECK(cuts.size() == 1);
        for (int port : cuts[0]) CHECK(arcs.modifier(port) <= 2 && (arcs.head(port) == 0 || arcs.head(port) > 2));
        CHECK(static_cast<int>(cuts[0].size()) == 2 * (words - 1));
    }
}

TEST(logarithms_in_lanes) {
    Random random(5, 0);
    for (int round = 0; round < 10000; ++round) {
        Lanes x;
        for (int l = 0; l < lane_count; ++l) x[l] = std::exp(1400 * random.uniform() - 700);
        if (round < 100) x = x * 0.0 + (1 + (round - 50) * 1e-3);
        const Lanes found = log_positive(x);
        for (int l = 0; l < lane_count; ++l) {
            const double wanted = std::log(x[l]);
            CHECK(std::fabs(found[l] - wanted) <= 4e-16 * std::fabs(wanted));
        }
    }
}
