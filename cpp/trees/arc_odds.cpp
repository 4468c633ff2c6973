#include "trees/arc_odds.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "support/lanes.hpp"
#include "support/limits.hpp"
#include "support/logarithms.hpp"
#include "support/vectorise.hpp"
#include "support/wide_lanes.hpp"
#include "trees/arc_weights.hpp"
#include "trees/double_odds.hpp"
#include "trees/feasibility.hpp"
#include "trees/odds_of_logs.hpp"
#include "trees/solved_graph.hpp"

namespace arbora {
namespace {

// ---- with any numbers, by logarithms of probabilities ----

void fill(ArcScores scores, const Shifts& shifts, Solved<Wide>& graph) {
    fill_weights(scores, shifts, graph.w, graph.ld);
}
void fill(ArcScores scores, const Shifts&, Solved<Tropical>& graph) {
    for (int h = 0; h <= scores.n; ++h)
        for (int m = 1; m <= scores.n; ++m)
            graph.w[(h ? h - 1 : scores.n) * graph.ld + (m - 1)] = h == m ? Tropical() : Tropical::exp(scores(h, m));
}

double log_total(const Solved<Wide>& graph, const Shifts& shifts) {
    return log_product(std::span<const Wide>(graph.factors, graph.n)) + total_shift(shifts);
}
double log_total(const Solved<Tropical>& graph, const Shifts&) {
    Tropical product(1);
    for (int k = 0; k < graph.n; ++k) product = product * graph.factors[k];
    return product.log();
}

// Logarithms of P(i -> j) = w_ij g_j q_ij; what is impossible is -inf.
ARBORA_VECTORISED void logs_of_arcs(const Solved<Wide>& graph, double* logs) {
    const int n = graph.n;
    for (int j = 0; j < n; ++j) graph.w[j * graph.ld + j] = Wide();
    for (int i = 0; i <= n; ++i) {
        const std::size_t row = i * graph.ld;
        double* to = logs + static_cast<std::size_t>(i < n ? i + 1 : 0) * (n + 1) + 1;
        for (int j = 0; j < n; j += lane_count) {
            const WideLanes from_root = load(graph.w + (row + j)) * load(graph.g + j);
            const Lanes four = (i < n ? from_root * load(graph.q + (row + j)) : from_root).log();
            store_up_to(to + j, std::min(lane_count, n - j), four);
        }
    }
}
void logs_of_arcs(const Solved<Tropical>& graph, double* logs) {
    const int n = graph.n;
    const std::size_t width = n + 1;
    for (int j = 0; j < n; ++j) {
        logs[1 + j] = (graph.w[n * graph.ld + j] * graph.g[j]).log();
        for (int i = 0; i < n; ++i) {
            const std::size_t arc = i * graph.ld + j;
            logs[(i + 1) * width + 1 + j] = i == j ? impossible : (graph.w[arc] * graph.g[j] * graph.q[arc]).log();
        }
    }
}

template <class Number>
double exact_logs(ArcScores scores, bool single_root, const Shifts& shifts, double* logs, Arena& arena) {
    const Arena::Frame frame(arena);
    Solved<Number> graph(scores.n, arena);
    fill(scores, shifts, graph);
    graph.solve(single_root);
    logs_of_arcs(graph, logs);
    return log_total(graph, shifts);
}

// ---- graphs in one piece, as matrix_tree.cpp has them ----

struct Sums {
    static double piece_logs(ArcScores scores, bool single_root, double* logs, Arena& arena) {
        Shifts shifts;
        choose_shifts(scores, single_root, false, shifts);
        double total;
        if (try_doubles(scores, single_root, shifts, Wanted::logs, logs, total, arena)) return total;
        return exact_logs<Wide>(scores, single_root, shifts, logs, arena);
    }
    static double plus(double a, double b) { return log_add(a, b); }
};
struct Maxima {
    static double piece_logs(ArcScores scores, bool single_root, double* logs, Arena& arena) {
        return exact_logs<Tropical>(scores, single_root, {}, logs, arena);
    }
    static double plus(double a, double b) { return std::max(a, b); }
};

// ---- graphs in two pieces ----

// A single-root graph falls apart into the tokens that can be the root's child, whose heads are among themselves, and
// the others, for which those together are the root.
template <class Algebra>
double logs_of_part(ArcScores scores, const std::vector<int>& sources, const std::vector<int>& tokens, bool single_root,
                    double* logs, Arena& arena) {
    const int m = static_cast<int>(tokens.size());
    const std::size_t inner_width = m + 1, width = scores.width();
    std::vector<double> inner(inner_width * inner_width, impossible), result(inner.size());
    for (int j = 0; j < m; ++j) {
        for (int h : sources) inner[1 + j] = Algebra::plus(inner[1 + j], scores(h, tokens[j]));
        for (int i = 0; i < m; ++i) inner[(1 + i) * inner_width + 1 + j] = scores(tokens[i], tokens[j]);
    }
    const double total = Algebra::piece_logs({inner.data(), m}, single_root, result.data(), arena);
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i)
            if (i != j) logs[tokens[i] * width + tokens[j]] = result[(1 + i) * inner_width + 1 + j];
        if (inner[1 + j] == impossible) continue;
        for (int h : sources) logs[h * width + tokens[j]] = result[1 + j] + (scores(h, tokens[j]) - inner[1 + j]);
    }
    return total;
}

template <class Algebra>
double logs_in_parts(ArcScores scores, const std::vector<char>& candidates, double* logs, Arena& arena) {
    std::vector<int> upper, lower;
    for (int v = 1; v <= scores.n; ++v) (candidates[v] ? upper : lower).push_back(v);
    std::fill_n(logs, static_cast<std::size_t>(scores.width()) * scores.width(), impossible);
    return logs_of_part<Algebra>(scores, {0}, upper, true, logs, arena) +
           logs_of_part<Algebra>(scores, upper, lower, false, logs, arena);
}

// How a graph is to be solved: not at all, in one piece, or in two, whose upper one these tokens are.
struct Shape {
    bool is_possible = true, in_parts = false;
    std::vector<char> candidates;
};

Shape shape_of(ArcScores scores, bool single_root) {
    Shape shape;
    if (!single_root) {
        shape.is_possible = all_reachable(scores);
        return shape;
    }
    shape.candidates = root_candidates(scores);
    shape.is_possible = !shape.candidates.empty();
    shape.in_parts = std::count(shape.candidates.begin(), shape.candidates.end(), 1) < scores.n;
    return shape;
}

// Exponents of wide numbers, sums of n differences of scores over log 2, must stay far below 2^50.
bool are_held(ArcScores scores, ScoreRange range) {
    const std::size_t cells = static_cast<std::size_t>(scores.width()) * scores.width();
    return range.is_moderate() || !any_beyond(scores.data, cells, 1e14 / scores.n);
}

void blank_non_arcs(double* odds, int n) {
    for (int m = 0; m <= n; ++m) odds[m * (n + 1)] = odds[m * (n + 2)] = impossible;  // column 0 and the diagonal
}

}  // namespace

double arc_log_odds(ArcScores scores, bool single_root, ScoreRange range, double* odds, Arena& arena) {
    Shape shape;
    if (range.has_impossible()) shape = shape_of(scores, single_root);
    if (!shape.is_possible) return impossible;
    if (!are_held(scores, range)) return arc_max_odds(scores, single_root, odds, arena);
    double total = 0;
    if (shape.in_parts) {
        total = logs_in_parts<Sums>(scores, shape.candidates, odds, arena);
        log_odds_of_logs(odds, scores.n);
    } else {
        Shifts shifts;
        choose_shifts(scores, single_root, range.is_moderate(), shifts);
        if (!try_doubles(scores, single_root, shifts, Wanted::odds, odds, total, arena)) {
            choose_shifts(scores, single_root, false, shifts);
            total = exact_logs<Wide>(scores, single_root, shifts, odds, arena);
            log_odds_of_logs(odds, scores.n);
        }
    }
    blank_non_arcs(odds, scores.n);
    return total;
}

double arc_max_odds(ArcScores scores, bool single_root, double* odds, Arena& arena) {
    const Shape shape = shape_of(scores, single_root);
    if (!shape.is_possible) return impossible;
    const double total = shape.in_parts ? logs_in_parts<Maxima>(scores, shape.candidates, odds, arena)
                                        : Maxima::piece_logs(scores, single_root, odds, arena);
    max_odds_of_logs(odds, scores.n);
    blank_non_arcs(odds, scores.n);
    return total;
}

}  // namespace arbora
