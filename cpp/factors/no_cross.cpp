#include "factors/no_cross.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "factors/crossing_sums.hpp"
#include "semirings/count.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/exponential.hpp"
#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

using Weights = CountSemiring;  // plain sums and products

// Log-weights of the arcs of one word, of which exactly one is true: if one is certain, the others are impossible.
// False if two are certain.
bool set_weights(const double* in, int count, double* weights) {
    const auto certain = std::count(in, in + count, INFINITY);
    for (int i = 0; i < count; ++i) weights[i] = certain == 0 ? in[i] : in[i] == INFINITY ? 0 : -INFINITY;
    return certain <= 1;
}

// Calls set(i, all the others together) for every one of `sums`.
template <class S, class Set>
void for_others(const double* sums, int count, double* others, Set set) {
    double before = S::zero, after = S::zero;
    for (int i = count; i-- > 0;) {
        others[i] = after;
        after = S::plus(after, sums[i]);
    }
    for (int i = 0; i < count; ++i) {
        set(i, S::plus(before, others[i]));
        before = S::plus(before, sums[i]);
    }
}

// Log-odds of sums of logarithms, or of maxima.
template <class S>
void set_beliefs(const double* sums, int first, int second, double* beliefs) {
    const auto one = [](const double* own, int count, double* to) {
        for_others<S>(own, count, to, [=](int i, double others) { to[i] = own[i] - others; });
    };
    one(sums, first, beliefs);
    one(sums + first, second, beliefs + first);
}

// Sums of products below this may have lost terms to underflow.
constexpr double smallest_sum = 1e-200;

// Log-odds of an arc with a weight of exp(logs[i]), times rests[i], against the others of its word. A weight may be as
// small as it likes: its logarithm is known, and the others' sum has the highest one in it, if only it is another. For
// that one itself, the others are weighed anew if their sum is too small.
ARBORA_VECTORISED void set_beliefs_of_word(const double* logs, double highest, const double* sums, const double* rests,
                                           int count, double* beliefs) {
    for_others<Weights>(sums, count, beliefs, [=](int i, double others) { beliefs[i] = others; });
    const int top = static_cast<int>(std::find(logs, logs + count, highest) - logs);
    const double others_of_top = beliefs[top];
    int i = 0;
    for (; i + lane_count <= count; i += lane_count) {
        const Lanes others = load(beliefs + i), rest = load(rests + i);
        const Lanes ratio = (rest > 0.0) & (others > 0.0) ? rest / others : all_lanes(1.0);
        const Lanes odds = log_positive(ratio) + (load(logs + i) - highest);
        store(beliefs + i, rest == 0.0 ? all_lanes(-INFINITY) : others == 0.0 ? all_lanes(INFINITY) : odds);
    }
    for (; i < count; ++i) beliefs[i] = std::log(rests[i] / beliefs[i]) + (logs[i] - highest);
    if (others_of_top >= smallest_sum) return;
    double against = -INFINITY, others = 0;
    for (int k = 0; k < count; ++k)
        if (k != top) against = std::max(against, logs[k]);
    if (against == -INFINITY) against = 0;  // no other is possible
    for (int k = 0; k < count; ++k) others += k == top ? 0 : exp_bounded(logs[k] - against) * rests[k];
    beliefs[top] = std::log(rests[top] / others) + (highest - against);
}

// Products of two weights and the crossing's are far from underflow if each lies within these of the highest.
constexpr double widest_spread = 250, highest_pair_score = 100;

bool is_moderate(const double* weights, int count, double highest) {
    return std::all_of(weights, weights + count,
                       [=](double weight) { return weight == -INFINITY || weight >= highest - widest_spread; });
}

ARBORA_VECTORISED void exponentiate(const double* logs, int count, double shift, double* result) {
    for (int i = 0; i < count; ++i) result[i] = exp_bounded(logs[i] - shift);
}

}  // namespace

struct NoCross::Built {
    Wiring wiring;
    std::vector<double> scores;
    std::vector<std::size_t> part_begins;
    std::vector<Words> pairs;
    std::vector<std::int32_t> begins, heads;
};

NoCross::NoCross(const Variables& variables, std::vector<CandidateArc> arcs, int words,
                 const std::vector<double>& scores)
    : NoCross(build(variables, std::move(arcs), words, scores), words) {}

NoCross::NoCross(Built built, int words)
    : FactorGroup(std::move(built.wiring), std::move(built.scores), std::move(built.part_begins)),
      words_(words),
      pairs_(std::move(built.pairs)),
      begins_(std::move(built.begins)),
      heads_(std::move(built.heads)) {}

NoCross::Built NoCross::build(const Variables& variables, std::vector<CandidateArc> arcs, int words,
                              const std::vector<double>& scores) {
    const std::size_t width = static_cast<std::size_t>(words) + 1;
    if (words < 0 || scores.size() != width * width)
        throw std::invalid_argument("there must be a score for every two words");
    Built built;
    built.begins.assign(words + 2, 0);
    for (const CandidateArc& arc : arcs) {
        if (arc.head < 0 || arc.head > words || arc.modifier < 1 || arc.modifier > words)
            throw std::invalid_argument("an arc has an end that is no word, or goes into the root");
        if (arc.head == arc.modifier) throw std::invalid_argument("an arc goes from a word to itself");
        ++built.begins[arc.modifier + 1];
    }
    std::stable_sort(arcs.begin(), arcs.end(), [](const CandidateArc& a, const CandidateArc& b) {
        return std::pair(a.modifier, a.head) < std::pair(b.modifier, b.head);
    });
    std::partial_sum(built.begins.begin(), built.begins.end(), built.begins.begin());
    for (const CandidateArc& arc : arcs) built.heads.push_back(arc.head);

    std::vector<Input> inputs;
    for (int j = 1; j <= words; ++j)
        for (int l = j + 1; l <= words; ++l) {
            inputs.clear();
            for (int word : {j, l})
                for (int i = built.begins[word]; i < built.begins[word + 1]; ++i) inputs.push_back(arcs[i].input);
            built.wiring.add_factor(variables, inputs);
            built.part_begins.push_back(built.scores.size());
            built.scores.push_back(scores[j * width + l]);
            built.pairs.push_back({j, l});
        }
    built.part_begins.push_back(built.scores.size());
    return built;
}

NoCross::Sides NoCross::sides(std::size_t factor) const {
    const auto [j, l] = pairs_[factor];
    const int first = begins_[j + 1] - begins_[j], second = begins_[l + 1] - begins_[l];
    return {{j, first, 0, heads_.data() + begins_[j]}, {l, second, first, heads_.data() + begins_[l]}};
}

bool NoCross::cross(const Sides& sides, int first_port, int second_port) const {
    const auto& [first, second] = sides;
    return arcs_cross(first.heads[first_port - first.port], first.word, second.heads[second_port - second.port],
                      second.word);
}

template <class S>
NoCross::Sums NoCross::sums(const Sides& sides, const double* weights, double if_crossing, double if_straight,
                            Arena& arena) const {
    const int count = sides.first.count + sides.second.count;
    Sums result{arena.take<double>(count), arena.take<double>(count), S::zero, S::zero};
    const Arena::Frame frame(arena);
    double* by_head = arena.take<double>(words_ + 1);
    double* crossing = arena.take<double>(words_ + 1);
    double* straight = arena.take<double>(words_ + 1);
    const auto run = [&](const Side& side, const Side& other) {
        std::fill_n(by_head, words_ + 1, S::zero);
        for (int i = 0; i < other.count; ++i)
            by_head[other.heads[i]] = S::plus(by_head[other.heads[i]], weights[other.port + i]);
        sum_crossing<S>(words_, side.word, other.word, by_head, crossing, straight);
        result.all = result.crossed = S::zero;
        for (int i = 0; i < side.count; ++i) {
            const int head = side.heads[i], port = side.port + i;
            const double crossed = S::times(if_crossing, crossing[head]);
            result.rests[port] = S::plus(crossed, S::times(if_straight, straight[head]));
            result.arcs[port] = S::times(weights[port], result.rests[port]);
            result.all = S::plus(result.all, result.arcs[port]);
            result.crossed = S::plus(result.crossed, S::times(weights[port], crossed));
        }
    };
    run(sides.first, sides.second);
    run(sides.second, sides.first);
    return result;
}

double NoCross::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    const Arena::Frame frame(arena);
    const Sides sides = this->sides(factor);
    const double score = part_scores()[factor];
    const int count = sides.first.count + sides.second.count;
    double* logs = arena.take<double>(count);
    bool is_possible = true, in_doubles = std::abs(score) <= highest_pair_score || score == -INFINITY;
    double highest[2];
    for (const Side* side : {&sides.first, &sides.second}) {
        double* own = logs + side->port;
        is_possible &= set_weights(in + side->port, side->count, own);
        double& top = highest[side == &sides.second] = -INFINITY;
        for (int i = 0; i < side->count; ++i) top = std::max(top, own[i]);
        is_possible &= top != -INFINITY;
        // If crossings are possible, all of the other word's arcs are in every sum, the highest too.
        if (score == -INFINITY) in_doubles &= is_moderate(own, side->count, top);
    }
    double value = -INFINITY, crossed = 0;
    if (is_possible && in_doubles) {
        // The higher one of the crossing's weight and 1 becomes 1.
        const double shift = std::max(score, 0.0);
        double* weights = arena.take<double>(count);
        exponentiate(logs, sides.first.count, highest[0], weights);
        exponentiate(logs + sides.second.port, sides.second.count, highest[1], weights + sides.second.port);
        const Sums sums = this->sums<Weights>(sides, weights, std::exp(score - shift), std::exp(-shift), arena);
        if (sums.all > 0) {
            value = std::log(sums.all) + shift + highest[0] + highest[1];
            crossed = sums.crossed / sums.all;
            for (const Side* side : {&sides.first, &sides.second})
                set_beliefs_of_word(logs + side->port, highest[side == &sides.second], sums.arcs + side->port,
                                    sums.rests + side->port, side->count, beliefs + side->port);
        }
    } else if (is_possible) {
        const Sums sums = this->sums<LogSemiring>(sides, logs, score, 0, arena);
        value = sums.all;
        if (value != -INFINITY) {
            crossed = std::exp(sums.crossed - sums.all);
            set_beliefs<LogSemiring>(sums.arcs, sides.first.count, sides.second.count, beliefs);
        }
    }
    if (value == -INFINITY) std::fill_n(beliefs, count, 0.0);
    if (parts) parts[0] = crossed;
    return value;
}

double NoCross::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    const Arena::Frame frame(arena);
    const Sides sides = this->sides(factor);
    const auto& [first, second] = sides;
    double* weights = arena.take<double>(first.count + second.count);
    const bool is_possible =
        set_weights(in, first.count, weights) & set_weights(in + second.port, second.count, weights + second.port);
    if (is_possible) {
        const Sums sums = this->sums<MaxSemiring>(sides, weights, part_scores()[factor], 0, arena);
        if (sums.all != -INFINITY) {
            set_beliefs<MaxSemiring>(sums.arcs, first.count, second.count, beliefs);
            return sums.all;
        }
    }
    std::fill_n(beliefs, first.count + second.count, 0.0);
    return -INFINITY;
}

double NoCross::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const Sides sides = this->sides(factor);
    const auto& [first, second] = sides;
    const double score = part_scores()[factor];
    double* weights = arena.take<double>(first.count + second.count);
    found.active.clear();
    found.inner = 0;
    const bool is_possible =
        set_weights(in, first.count, weights) & set_weights(in + second.port, second.count, weights + second.port);
    if (!is_possible) return -INFINITY;
    const Sums sums = this->sums<MaxSemiring>(sides, weights, score, 0, arena);
    if (sums.all == -INFINITY) return -INFINITY;
    const int i = static_cast<int>(std::max_element(sums.arcs, sums.arcs + first.count) - sums.arcs);
    const auto total = [&](int k) { return weights[k] + (cross(sides, i, k) ? score : 0); };
    int best = second.port;
    for (int k = second.port; k < second.port + second.count; ++k)
        if (total(k) > total(best)) best = k;
    found.active = {i, best};
    found.inner = cross(sides, i, best) ? score : 0;
    return weights[i] + total(best);
}

// A weight for every two arcs that are possible together; those with an arc sum to that arc.
void NoCross::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const Sides sides = this->sides(factor);
    const auto& [first, second] = sides;
    std::vector<Polytope::Term> all;
    std::vector<std::vector<Polytope::Term>> of_arc(first.count + second.count);
    for (int i = 0; i < first.count + second.count; ++i) of_arc[i].emplace_back(i, -1);
    for (int i = 0; i < first.count; ++i)
        for (int k = second.port; k < second.port + second.count; ++k) {
            const double score = cross(sides, i, k) ? part_scores()[factor] : 0;
            if (score == -INFINITY) continue;
            const int column = rows.new_column(score);
            all.emplace_back(column, 1);
            of_arc[i].emplace_back(column, 1);
            of_arc[k].emplace_back(column, 1);
        }
    rows.add_row(1, 1, all);
    for (const auto& terms : of_arc) rows.add_row(0, 0, terms);
}

NoCross::Found NoCross::look_at(std::size_t factor, std::span<const int> active) const {
    const Sides sides = this->sides(factor);
    const int second = sides.second.port;
    if (active.size() != 2 || active[0] >= second || active[1] < second) return {false, false};
    return {true, cross(sides, active[0], active[1])};
}

double NoCross::score(std::size_t factor, std::span<const int> active, Arena&) const {
    const auto [is_possible, is_crossing] = look_at(factor, active);
    return !is_possible ? -INFINITY : is_crossing ? part_scores()[factor] : 0;
}

void NoCross::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts, Arena&) const {
    if (look_at(factor, active).is_crossing) parts[0] += weight;
}

std::shared_ptr<const FactorGroup> NoCross::scaled(double multiplier) const {
    Built built{wiring(), scaled_scores(multiplier), {}, pairs_, begins_, heads_};
    for (std::size_t factor = 0; factor <= size(); ++factor) built.part_begins.push_back(factor);
    return std::shared_ptr<const NoCross>(new NoCross(std::move(built), words_));
}

}  // namespace arbora
