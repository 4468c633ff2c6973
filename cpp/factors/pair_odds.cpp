#include "factors/pair_odds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

constexpr double highest_odds_score = 50;
// Odds beyond exp(+-300) are certain as far as any message can tell.
constexpr double highest_total = 300;

// messages[p] = (r + B g) / (r + B) with r and B of the pair's other port.
ARBORA_VECTORISED void set_new_odds(const double* odds, const std::int32_t* literal, const double* gains,
                                    std::size_t pairs, double* messages) {
    std::size_t pair = 0;
    for (; pair + 2 <= pairs; pair += 2) {
        const std::int32_t* l = literal + 2 * pair;
        const Lanes old = load(messages + 2 * pair);
        const Lanes r = __builtin_shufflevector(old, old, 1, 0, 3, 2);
        const Lanes b{odds[l[1]], odds[l[0]], odds[l[3]], odds[l[2]]};
        const Lanes gain{gains[pair], gains[pair], gains[pair + 1], gains[pair + 1]};
        store(messages + 2 * pair, (r + b * gain) / (r + b));
    }
    if (pair < pairs) {
        double &first = messages[2 * pair], &second = messages[2 * pair + 1];
        const double b = odds[literal[2 * pair + 1]], a = odds[literal[2 * pair]];
        const double new_first = (second + b * gains[pair]) / (second + b);
        second = (first + a * gains[pair]) / (first + a);
        first = new_first;
    }
}

// The sum of log Z of all pairs, and the probability that both are true. With a = A / r and b = B / q,
//     Z = 1 + a + b + a b g = (r q + A q + B r + A B g) / (r q).
ARBORA_VECTORISED double sum_pairs(const double* odds, const std::int32_t* literal, const double* gains,
                                   std::size_t pairs, const double* messages, double* parts) {
    Lanes total{};
    std::size_t pair = 0;
    for (; pair + 4 <= pairs; pair += 4) {
        const std::int32_t* l = literal + 2 * pair;
        const Lanes low = load(messages + 2 * pair), high = load(messages + 2 * pair + 4);
        const Lanes r = __builtin_shufflevector(low, high, 0, 2, 4, 6),
                    q = __builtin_shufflevector(low, high, 1, 3, 5, 7);
        const Lanes a{odds[l[0]], odds[l[2]], odds[l[4]], odds[l[6]]},
            b{odds[l[1]], odds[l[3]], odds[l[5]], odds[l[7]]};
        const Lanes both = a * b * load(gains + pair), all = (r + a) * q + b * r + both;
        store(parts + pair, both / all);
        total += log_positive(all / (r * q));
    }
    double rest = 0;
    for (; pair < pairs; ++pair) {
        const double r = messages[2 * pair], q = messages[2 * pair + 1];
        const double a = odds[literal[2 * pair]], b = odds[literal[2 * pair + 1]];
        const double both = a * b * gains[pair], all = (r + a) * q + b * r + both;
        parts[pair] = both / all;
        rest += std::log(all / (r * q));
    }
    return sum_of_lanes(total) + rest;
}

// The logarithm of the product of some messages. Exponents are taken out and added up before they can overflow.
ARBORA_VECTORISED double log_product(const double* messages, const std::int32_t* ports, int count) {
    constexpr int safe = 12;  // factors of exp(+-50) each
    constexpr std::int64_t one = 0x3ff0000000000000, mantissa = 0x000fffffffffffff;
    Lanes product = all_lanes(1.0);
    LaneBits exponents{};
    int k = 0;
    while (k + lane_count <= count) {
        const int end = std::min(count, k + safe * lane_count);
        for (; k + lane_count <= end; k += lane_count)
            product *=
                Lanes{messages[ports[k]], messages[ports[k + 1]], messages[ports[k + 2]], messages[ports[k + 3]]};
        const LaneBits bits = std::bit_cast<LaneBits>(product);
        exponents += (bits >> 52) - 1023;
        product = std::bit_cast<Lanes>((bits & mantissa) | one);
    }
    double all = (product[0] * product[1]) * (product[2] * product[3]);
    for (; k < count; ++k) all *= messages[ports[k]];
    const std::int64_t exponent = (exponents[0] + exponents[1]) + (exponents[2] + exponents[3]);
    return static_cast<double>(exponent) * 0.693147180559945309 + std::log(all);
}

}  // namespace

bool PairOdds::suits(const std::vector<double>& scores) {
    return 2 * scores.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) &&
           std::all_of(
               scores.begin(), scores.end(), [](double score) { return std::abs(score) <= highest_odds_score; });
}

PairOdds::PairOdds(const Wiring& wiring, const std::vector<double>& scores)
    : gains_(scores.size()), literal_(wiring.ports()), ports_(wiring.ports()) {
    std::transform(scores.begin(), scores.end(), gains_.begin(), [](double score) { return std::exp(score); });
    int highest_slot = -1;
    for (std::size_t port = 0; port < wiring.ports(); ++port) highest_slot = std::max(highest_slot, wiring.slot(port));
    std::vector<std::int32_t> known(2 * (static_cast<std::size_t>(highest_slot) + 1), -1);
    for (std::size_t port = 0; port < wiring.ports(); ++port) {
        const Literal literal{wiring.slot(port), wiring.is_negated(port)};
        std::int32_t& index = known[2 * static_cast<std::size_t>(literal.slot) + literal.negated];
        if (index < 0) {
            index = static_cast<std::int32_t>(literals_.size());
            literals_.push_back(literal);
        }
        literal_[port] = index;
    }
    begins_.assign(literals_.size() + 1, 0);
    for (std::int32_t literal : literal_) ++begins_[literal + 1];
    for (std::size_t i = 0; i < literals_.size(); ++i) begins_[i + 1] += begins_[i];
    std::vector<std::int32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t port = 0; port < wiring.ports(); ++port)
        ports_[next[literal_[port]]++] = static_cast<std::int32_t>(port);
}

double* PairOdds::find_odds(const Totals& totals, Arena& arena) const {
    double* odds = arena.take<double>(literals_.size());
    for (std::size_t i = 0; i < literals_.size(); ++i) {
        const double total = meant(literals_[i], totals);
        odds[i] = total == -INFINITY ? 0 : std::exp(std::clamp(total, -highest_total, highest_total));
    }
    return odds;
}

void PairOdds::propagate(const Totals& totals, double damping, double* messages, Arena& arena) const {
    const Arena::Frame frame(arena);
    const double* odds = find_odds(totals, arena);
    if (damping == 0) return set_new_odds(odds, literal_.data(), gains_.data(), gains_.size(), messages);
    double* old = arena.take<double>(literal_.size());
    std::copy_n(messages, literal_.size(), old);
    set_new_odds(odds, literal_.data(), gains_.data(), gains_.size(), messages);
    for (std::size_t port = 0; port < literal_.size(); ++port)
        messages[port] = old[port] * std::pow(messages[port] / old[port], 1 - damping);
}

double PairOdds::sum_all(const Totals& totals, const double* messages, double* parts, Arena& arena) const {
    const Arena::Frame frame(arena);
    const double* odds = find_odds(totals, arena);
    double result = sum_pairs(odds, literal_.data(), gains_.data(), gains_.size(), messages, parts);
    // Where odds were cut off, all that counts is proportional to them. What is certain costs nothing.
    for (std::size_t i = 0; i < literals_.size(); ++i) {
        const double total = meant(literals_[i], totals);
        if (total <= highest_total) continue;
        const int count = begins_[i + 1] - begins_[i];
        result += total == INFINITY ? log_product(messages, ports_.data() + begins_[i], count) - count * highest_total
                                    : count * (total - highest_total);
    }
    return result;
}

void PairOdds::add_messages(const double* messages, Totals& totals) const {
    for (std::size_t i = 0; i < literals_.size(); ++i) {
        const double log = log_product(messages, ports_.data() + begins_[i], begins_[i + 1] - begins_[i]);
        totals.add(literals_[i].slot, literals_[i].negated ? -log : log);
    }
}

}  // namespace arbora
