#include "trees/double_odds.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"
#include "trees/columns.hpp"
#include "trees/odds_of_logs.hpp"
#include "trees/solved_graph.hpp"

namespace arbora {
namespace {

// ---- where weights are in their range ----

// Below this, what doubles lose to underflow on the way could be seen (see smallest_pivot).
constexpr double smallest_probability = 1e-150;

// Whether every arc that is possible has a weight that a double holds.
ARBORA_VECTORISED bool weights_fit(ArcScores scores, const Shifts& shifts) {
    constexpr double lowest = -300;
    bool fit = true;
    for (int h = 0; h <= scores.n; ++h) {
        const double* row = scores.row(h);
        const double* shift = shifts.column.data();
        const double extra = h ? 0 : shifts.root_row;
        for (int m = 1; m <= scores.n; ++m)
            fit &= row[m] == impossible || row[m] - shift[m] - extra >= lowest || m == h;
    }
    return fit;
}

// One arc of a modifier at most has a probability above this; 1 - p is then the sum of the others'.
constexpr double likely = 0.75;

// P(i -> j) = w_ij g_j q_ij in place of w; and the sums of all that are not likely. False if one is too small to be
// trusted; exact zeros, where no tree has an arc, are among those.
ARBORA_VECTORISED bool find_probabilities(double* w, const double* q, const double* g, int n, std::size_t ld,
                                          double* others) {
    LaneBits too_small{};
    for (int j = 0; j < n; j += lane_count) {
        LaneBits column_small{};
        Lanes sum{};
        const Lanes scale = load(g + j);
        for (int i = 0; i <= n; ++i) {
            const Lanes weight = load(w + i * ld + j), escape = load(q + i * ld + j), p = weight * scale * escape;
            column_small |= (weight > 0.0) & ((p < smallest_probability) | (escape < smallest_probability));
            sum += p > likely ? Lanes{} : p;
            store(w + i * ld + j, p);
        }
        store(others + j, sum);
        for (int l = 0; l < lane_count && j + l < n; ++l) too_small[l] |= column_small[l];
    }
    return !(too_small[0] | too_small[1] | too_small[2] | too_small[3]);
}

ARBORA_VECTORISED void odds_of_probabilities(const double* p, int n, std::size_t ld, const double* others,
                                             double* odds) {
    const Lanes never = all_lanes(impossible), always = all_lanes(INFINITY);
    for (int i = 0; i <= n; ++i) {
        const double* row = p + i * ld;
        double* to = odds + static_cast<std::size_t>(i < n ? i + 1 : 0) * (n + 1) + 1;
        for_columns(
            0, n,
            [=](int j) {
                const Lanes x = load(row + j), rest = load(others + j);
                const Lanes complement = x > likely ? rest : 1.0 - x;
                const Lanes result = log_positive(x / complement);
                store(to + j, x == 0.0 ? never : complement == 0.0 ? always : result);
            },
            [=](int j) { to[j] = std::log(row[j] / (row[j] > likely ? others[j] : 1 - row[j])); });
    }
}

// ---- where weights leave it ----

// exp_bounded makes 0 of weights below 1e-304, and products below 1e-308 are lost on the way. Nothing is subtracted, so
// what comes out is right for a graph whose weights differ by less than this: all that is lost is the weight of an arc
// between tokens that are left, or (in solve_three) of a root arc, n 1e-323 over a pivot of 1e-100 at most.
constexpr double log_of_lost = -220 * 2.302585092994046;
constexpr double log_of_tolerance = -13 * 2.302585092994046;

// The logarithm of the least g_j q_ij that can be trusted. Arcs that differ by `lost` change the trees that have i -> j,
// the sum of which is w_ij g_j q_ij Z, by w_ij times n^2 lost times the product of all column sums at most.
ARBORA_VECTORISED double least_escape(const double* w, int n, std::size_t ld, double log_z) {
    double log_of_all = 0;
    for (int j = 0; j < n; j += lane_count) {
        Lanes sum{};
        for (int i = 0; i <= n; ++i) sum += load(w + i * ld + j);
        for (int l = 0; l < lane_count && j + l < n; ++l) log_of_all += std::log(sum[l]);
    }
    return log_of_lost - log_of_tolerance + 2 * std::log(n) + log_of_all - log_z;
}

// Whether some token m has one head h so far above all others that q_mh, the chance of a way from m to the root that
// avoids h, is below what doubles hold: trying them would be in vain. (With a single root q is no chance, and may be
// larger after all; then wide numbers are taken where doubles might have done.)
ARBORA_VECTORISED bool out_of_reach(ArcScores scores, double root_shift) {
    constexpr double widest_gap = 700;
    for (int m = 1; m <= scores.n; m += lane_count) {
        const int count = std::min(lane_count, scores.n + 1 - m);
        const auto [largest, second, top] = find_top_two(scores.n + 1, [=](int h) ARBORA_INLINED {
            Lanes x = load_up_to(scores.row(h) + m, count);
            if (h >= m && h < m + lane_count) x[h - m] = impossible;  // the diagonal is no arc
            return h ? x : x - root_shift;
        });
        for (int l = 0; l < count; ++l)
            if (top[l] && largest[l] - second[l] > widest_gap && scores(m + l, static_cast<int>(top[l])) > impossible)
                return true;
    }
    return false;
}

// log P(i -> j) = log w_ij + log g_j + log q_ij, where log w_ij is known however small it is. False if one is not to be
// trusted.
ARBORA_VECTORISED bool find_logs(ArcScores scores, const Shifts& shifts, const double* q, const double* g,
                                 std::size_t ld, double least, double* logs) {
    const int n = scores.n;
    const Lanes none = all_lanes(impossible), smallest = all_lanes(1e-300);
    LaneBits too_small{};
    for (int j = 0; j < n; j += lane_count) {
        const int count = std::min(lane_count, n - j);
        const Lanes log_g = log_positive(load(g + j));
        const Lanes shift = load_up_to(shifts.column.data() + 1 + j, count);
        for (int i = 0; i <= n; ++i) {
            const int head = i < n ? i + 1 : 0;
            const Lanes score = load_up_to(scores.row(head) + 1 + j, count);
            const Lanes log_w = score - shift - (head ? 0 : shifts.root_row);
            const Lanes escape = load(q + i * ld + j);
            LaneBits is_arc = score > none;
            if (i >= j && i < j + lane_count) is_arc[i - j] = 0;  // the diagonal is no arc
            const Lanes log_q = log_positive(escape > smallest ? escape : smallest);
            LaneBits lost = is_arc & ((escape < smallest) | (log_g + log_q < least));
            for (int l = count; l < lane_count; ++l) lost[l] = 0;
            too_small |= lost;
            const Lanes found = is_arc ? log_w + (log_g + log_q) : none;
            store_up_to(logs + static_cast<std::size_t>(head) * (n + 1) + 1 + j, count, found);
        }
    }
    return !(too_small[0] | too_small[1] | too_small[2] | too_small[3]);
}

}  // namespace

bool try_doubles(ArcScores scores, bool single_root, const Shifts& shifts, Wanted wanted, double* result, double& total,
                 Arena& arena) {
    if (!shifts.none && out_of_reach(scores, shifts.root_row)) return false;
    const Arena::Frame frame(arena);
    const int n = scores.n;
    Solved<double> graph(n, arena);
    fill_weights(scores, shifts, graph.w, graph.ld);
    if (!graph.solve(single_root)) return false;
    for (int j = 0; j < n; ++j) {
        graph.w[j * graph.ld + j] = graph.q[j * graph.ld + j] = 0;
        graph.q[n * graph.ld + j] = 1;
    }
    const double log_z = log_product(std::span<const double>(graph.factors, n));
    const double least = shifts.none ? 0 : least_escape(graph.w, n, graph.ld, log_z);
    total = log_z + total_shift(shifts);
    double* others = arena.take<double>(graph.ld);
    if (wanted == Wanted::odds && (shifts.none || weights_fit(scores, shifts)) &&
        find_probabilities(graph.w, graph.q, graph.g, n, graph.ld, others)) {
        odds_of_probabilities(graph.w, n, graph.ld, others, result);
        return true;
    }
    if (shifts.none || !find_logs(scores, shifts, graph.q, graph.g, graph.ld, least, result)) return false;
    if (wanted == Wanted::odds) log_odds_of_logs(result, n);
    return true;
}

}  // namespace arbora
