#include "factors/cardinality.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "factors/simplex.hpp"
#include "semirings/log.hpp"
#include "support/logarithms.hpp"

namespace arbora {
namespace {

int certain_count(const double* in, int count) { return static_cast<int>(std::count(in, in + count, INFINITY)); }

}  // namespace

AtMostFactor::AtMostFactor(std::string kind, Wiring wiring, std::vector<int> limits)
    : HardFactor(std::move(kind), std::move(wiring)), limits_(std::move(limits)) {
    if (limits_.size() != size()) throw std::invalid_argument("there must be one limit for each factor");
    for (int limit : limits_)
        if (limit < 0) throw std::invalid_argument("a limit is below 0");
}

// before(c): log-weight of exactly c of the first i inputs; after(i, c): of at most c of the others. Both by
//     x(i, c) = x(i - 1, c) + exp(in_i) x(i - 1, c - 1),
// from the front and from the back. With i true the others may be at most r - 1, with i false at most r.
double AtMostFactor::sum(std::size_t factor, const double* in, double* beliefs, double*, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int count = ports(factor), certain = certain_count(in, count);
    if (certain > limits_[factor]) return nothing(factor, beliefs);
    const int left = std::min(limits_[factor] - certain, count);
    const std::size_t width = left + 1;
    double* after = arena.take<double>((count + 1) * width);
    std::fill_n(after + count * width, width, 0.0);
    for (int i = count - 1; i >= 0; --i) {
        const double *from = after + (i + 1) * width, weight = in[i];
        double* to = after + i * width;
        std::copy(from, from + width, to);
        if (!std::isinf(weight))
            for (int c = 1; c <= left; ++c) to[c] = log_add(from[c], from[c - 1] + weight);
    }
    // Kept from the last count to the first, so that inner products run along memory.
    double* before = arena.take<double>(width, -INFINITY);
    before[left] = 0;
    for (int i = 0; i < count; ++i) {
        const double *rest = after + (i + 1) * width, weight = in[i];
        if (std::isinf(weight)) {
            beliefs[i] = weight;
            continue;
        }
        const double with = left ? LogSemiring::dot(before + 1, rest, left) : -INFINITY;
        beliefs[i] = weight + with - LogSemiring::dot(before, rest, left + 1);
        for (int c = left; c > 0; --c) {
            double& exactly = before[left - c];
            exactly = log_add(exactly, before[left - c + 1] + weight);
        }
    }
    return after[left];
}

// The r best that gain. Without i, which is one of them, the next best takes its place.
double AtMostFactor::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int count = ports(factor), certain = certain_count(in, count), left = limits_[factor] - certain;
    if (left < 0) return nothing(factor, beliefs);
    double* sorted = arena.take<double>(count);
    std::copy(in, in + count, sorted);
    std::sort(sorted, sorted + count, std::greater<>());
    const double* others = sorted + certain;
    auto gain = [=](int rank) { return rank < count - certain ? std::max(others[rank], 0.0) : 0; };
    const double last = left ? gain(left - 1) : INFINITY, next = gain(left);
    double best = 0;
    for (int rank = 0; rank < left && rank < count - certain; ++rank) best += gain(rank);
    for (int i = 0; i < count; ++i) {
        // If i is false, the others' best may be `left` of them; if it is true, one less.
        const bool is_chosen = left && (left >= count - certain || in[i] >= others[left - 1]);
        beliefs[i] = std::isinf(in[i]) ? in[i] : in[i] - (is_chosen ? next : last);
    }
    return best;
}

double AtMostFactor::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int count = ports(factor);
    found.active.clear();
    found.inner = 0;
    if (certain_count(in, count) > limits_[factor]) return -INFINITY;
    int* order = arena.take<int>(count);
    std::iota(order, order + count, 0);
    std::sort(order, order + count, [in](int i, int j) { return in[i] != in[j] ? in[i] > in[j] : i < j; });
    double score = 0;
    for (int rank = 0; rank < std::min(limits_[factor], count) && in[order[rank]] > 0; ++rank) {
        found.active.push_back(order[rank]);
        if (in[order[rank]] != INFINITY) score += in[order[rank]];
    }
    std::sort(found.active.begin(), found.active.end());
    return score;
}

bool AtMostFactor::project(std::size_t factor, const double* a, double, double* z, ActiveSet&, Arena& arena) const {
    return project_between(a, ports(factor), 0, limits_[factor], z, arena);
}

void AtMostFactor::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    std::vector<Polytope::Term> terms;
    for (int i = 0; i < ports(factor); ++i) terms.emplace_back(i, 1.0);
    rows.add_row(0, limits_[factor], terms);
}

double AtMostFactor::score(std::size_t factor, std::span<const int> active, Arena&) const {
    return static_cast<int>(active.size()) <= limits_[factor] ? 0 : -INFINITY;
}

}  // namespace arbora
