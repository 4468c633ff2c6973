#include "trees/matrix_tree.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"
#include "support/wide.hpp"
#include "trees/elimination.hpp"
#include "trees/feasibility.hpp"
#include "trees/mst.hpp"

namespace arbora {
namespace {

// ---- scaling: weight = exp(score - shift of its modifier), so that a modifier's best head weighs 1 ----

struct Shifts {
    std::vector<double> column;  // per modifier
    double root_row = 0;         // a single root's arcs are used once, so their row may be shifted too
    bool none = false;           // all are 0
};

// Calls body(first) for every four of the columns [begin, width); the last four may overlap with those before, and if
// there are fewer than four in all, tail(column) is called for each.
template <class Body, class Tail>
ARBORA_INLINE void for_columns(int begin, int width, Body body, Tail tail) {
    if (width - begin < lane_count) {
        for (int m = begin; m < width; ++m) tail(m);
        return;
    }
    for (int m = begin; m + lane_count <= width; m += lane_count) body(m);
    if ((width - begin) % lane_count) body(width - lane_count);
}

ARBORA_VECTORISED void column_maxima(const double* scores, int n, int first_head, double* maxima) {
    const int width = n + 1;
    auto four = [=](int first) {
        Lanes best = all_lanes(impossible);
        const double* cell = scores + first;
        auto take = [&](int begin, int end) {
            for (int h = begin; h < end; ++h) best = larger(load(cell + static_cast<std::size_t>(h) * width), best);
        };
        take(first_head, first);
        for (int l = 0; l < lane_count; ++l) {  // the diagonal is no arc
            if (first + l < first_head) continue;
            Lanes row = load(cell + static_cast<std::size_t>(first + l) * width);
            row[l] = impossible;
            best = larger(row, best);
        }
        take(std::max(first_head, first + lane_count), width);
        store(maxima + first, best);
    };
    auto one = [=](int m) {
        maxima[m] = impossible;
        for (int h = first_head; h < width; ++h)
            if (h != m) maxima[m] = std::max(maxima[m], scores[h * width + m]);
    };
    for_columns(0, width, four, one);
}

void choose_shifts(ArcScores scores, bool single_root, bool moderate, Shifts& shifts) {
    shifts.none = moderate;
    shifts.column.assign(scores.width(), 0);
    shifts.root_row = 0;
    if (moderate) return;
    column_maxima(scores.data, scores.n, single_root ? 1 : 0, shifts.column.data());
    if (!single_root) return;
    if (scores.n == 1) shifts.column[1] = 0;  // no arc but the root's
    shifts.root_row = impossible;
    for (int m = 1; m <= scores.n; ++m)
        shifts.root_row = std::max(shifts.root_row, scores(0, m) - shifts.column[m]);
}

double total_shift(const Shifts& shifts) {
    if (shifts.none) return 0;
    long double total = shifts.root_row;
    for (std::size_t m = 1; m < shifts.column.size(); ++m) total += shifts.column[m];
    return static_cast<double>(total);
}

// Rows of weights: the tokens' first, the root's last; a column per token. four(row, m, extra) and one(...)
// give the weights from column m on. The diagonal is left as it comes: nobody reads it.
template <class Four, class One>
ARBORA_INLINE void fill_rows(ArcScores scores, double root_shift, double* w, std::size_t ld, Four four, One one) {
    for (int h = 0; h < scores.width(); ++h) {
        const double* row = scores.row(h);
        double* to = w + static_cast<std::size_t>(h ? h - 1 : scores.n) * ld - 1;
        const double extra = h ? 0 : root_shift;
        for_columns(
            1, scores.width(), [=](int m) { store(to + m, four(row, m, extra)); },
            [=](int m) { to[m] = one(row, m, extra); });
    }
}

ARBORA_VECTORISED void fill_weights(ArcScores scores, const Shifts& shifts, double* w, std::size_t ld) {
    const double* shift = shifts.column.data();
    if (shifts.none)
        fill_rows(
            scores, 0, w, ld, [](const double* row, int m, double) { return exp_moderate(load(row + m)); },
            [](const double* row, int m, double) { return exp_bounded(row[m]); });
    else
        fill_rows(
            scores, shifts.root_row, w, ld,
            [=](const double* row, int m, double extra) {
                return exp_bounded(load(row + m) - load(shift + m) - extra);
            },
            [=](const double* row, int m, double extra) { return exp_bounded(row[m] - shift[m] - extra); });
}

// a - b = high + low, exactly.
void exact_difference(double a, double b, double& high, double& low) {
    high = a - b;
    const double back = high - a;
    low = (a - (high - back)) - (b + back);
}

void fill_weights(ArcScores scores, const Shifts& shifts, Wide* w, std::size_t ld) {
    for (int h = 0; h <= scores.n; ++h)
        for (int m = 1; m <= scores.n; ++m) {
            const double score = scores(h, m);
            Wide weight;
            if (h != m && score != impossible) {
                double high, low, rest = 0;
                exact_difference(score, shifts.column[m], high, low);
                if (h == 0) exact_difference(high, shifts.root_row, high, rest);
                weight = Wide::exp(high, low + rest);
            }
            w[(h ? h - 1 : scores.n) * ld + (m - 1)] = weight;
        }
}

// ---- sums, in double or Wide ----

// Logarithms are taken of products that are still far from the ends of the range, which needs few of them.
double log_product(const std::vector<double>& factors) {
    double total = 0, product = 1;
    for (double factor : factors) {
        product *= factor;
        if (product > 1e-150 && product < 1e150) continue;
        total += std::log(product);
        product = 1;
    }
    return total + std::log(product);
}
double log_product(const std::vector<Wide>& factors) {
    long double total = 0;
    for (const Wide& factor : factors) total += factor.log_long();
    return static_cast<double>(total);
}

template <class Number>
struct Workspace {
    std::vector<Number> weights, q, g, factors;
    std::size_t ld = 0;

    void resize(int n, bool marginals) {
        ld = Elimination<Number>::row_length(n);
        weights.resize((n + 1) * ld);
        if (!marginals) return;
        q.resize((n + 1) * ld);  // one row more, since whole vectors are read
        g.resize(n);
    }
};

// One for each thread, so that its memory is asked for once.
template <class Number>
Elimination<Number>& elimination(bool single_root) {
    thread_local Elimination<Number> many(false), single(true);
    return single_root ? single : many;
}

template <class Number>
bool try_log_partition(ArcScores scores, bool single_root, const Shifts& shifts, double& result) {
    thread_local Workspace<Number> space;
    space.resize(scores.n, false);
    fill_weights(scores, shifts, space.weights.data(), space.ld);
    if (!elimination<Number>(single_root).factors(space.weights.data(), scores.n, space.factors)) return false;
    result = log_product(space.factors) + total_shift(shifts);
    return true;
}

// P(i -> j) = w_ij g_j q_ij, and P(0 -> j) = w_0j g_j; what rounding adds to 1 is cut off.
ARBORA_VECTORISED void multiply(const double* weights, const double* q, const double* g, int n, std::size_t ld,
                                double* __restrict marginals) {
    const int width = n + 1;
    for (int j = 0; j < n; ++j) marginals[1 + j] = std::min(weights[n * ld + j] * g[j], 1.0);
    for (int i = 0; i < n; ++i) {
        double* row = marginals + static_cast<std::size_t>(i + 1) * width + 1;
        ARBORA_INDEPENDENT
        for (int j = 0; j < n; ++j) {
            const double p = weights[i * ld + j] * g[j] * q[i * ld + j];
            row[j] = p < 1 ? p : 1;
        }
    }
}
void multiply(const Wide* weights, const Wide* q, const Wide* g, int n, std::size_t ld, double* marginals) {
    const int width = n + 1;
    for (int j = 0; j < n; ++j) marginals[1 + j] = std::min((weights[n * ld + j] * g[j]).value(), 1.0);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            marginals[(i + 1) * width + 1 + j] =
                std::min((weights[i * ld + j] * g[j] * q[i * ld + j]).value(), 1.0);
}

template <class Number>
bool try_marginals(ArcScores scores, bool single_root, const Shifts& shifts, double* marginals, double& result) {
    thread_local Workspace<Number> space;
    const int n = scores.n;
    space.resize(n, true);
    fill_weights(scores, shifts, space.weights.data(), space.ld);
    if (!elimination<Number>(single_root).solve(space.weights.data(), n, space.q.data(), space.g.data(), space.factors))
        return false;
    multiply(space.weights.data(), space.q.data(), space.g.data(), n, space.ld, marginals);
    for (int m = 0; m <= n; ++m) marginals[m * (n + 1)] = marginals[m * (n + 2)] = 0;  // column 0 and the diagonal
    result = log_product(space.factors) + total_shift(shifts);
    return true;
}

// A graph in one piece: every token can be reached, and with a single root every token can be that root's child
// as far as the arcs between tokens go. Marginals are wanted if there is a place for them.
double solve_piece(ArcScores scores, bool single_root, bool moderate, double* marginals) {
    thread_local Shifts shifts;
    choose_shifts(scores, single_root, moderate, shifts);
    double result = impossible;
    if (!marginals) {
        if (!try_log_partition<double>(scores, single_root, shifts, result))
            try_log_partition<Wide>(scores, single_root, shifts, result);
    } else if (!try_marginals<double>(scores, single_root, shifts, marginals, result)) {
        try_marginals<Wide>(scores, single_root, shifts, marginals, result);
    }
    return result;
}

// ---- graphs in two pieces ----

// A single-root graph falls apart into the tokens that can be the root's child, whose heads are among themselves,
// and the others, for which those together are the root: their arcs are summed into one root arc and shared out.
struct Piece {
    std::vector<int> sources, tokens;  // tokens' heads are tokens or sources
    bool single_root;
};

double log_sum(ArcScores scores, const std::vector<int>& heads, int modifier) {
    double best = impossible;
    for (int h : heads) best = std::max(best, scores(h, modifier));
    if (best == impossible) return best;
    double total = 0;
    for (int h : heads) total += std::exp(scores(h, modifier) - best);
    return best + std::log(total);
}

double solve_one_of(ArcScores scores, const Piece& piece, double* marginals) {
    const int m = static_cast<int>(piece.tokens.size());
    const int width = m + 1;
    std::vector<double> inner(static_cast<std::size_t>(width) * width, impossible);
    for (int j = 0; j < m; ++j) {
        inner[1 + j] = log_sum(scores, piece.sources, piece.tokens[j]);
        for (int i = 0; i < m; ++i) inner[(1 + i) * width + 1 + j] = scores(piece.tokens[i], piece.tokens[j]);
    }
    std::vector<double> result(marginals ? inner.size() : 0);
    const double value = solve_piece({inner.data(), m}, piece.single_root, false, marginals ? result.data() : nullptr);
    if (!marginals) return value;
    const std::size_t outer = scores.width();
    for (int j = 0; j < m; ++j) {
        const int modifier = piece.tokens[j];
        for (int i = 0; i < m; ++i) marginals[piece.tokens[i] * outer + modifier] = result[(1 + i) * width + 1 + j];
        if (inner[1 + j] == impossible) continue;
        for (int h : piece.sources)
            marginals[h * outer + modifier] = result[1 + j] * std::exp(scores(h, modifier) - inner[1 + j]);
    }
    return value;
}

double solve_pieces(ArcScores scores, const std::vector<char>& candidates, double* marginals) {
    Piece upper{{0}, {}, true}, lower{{}, {}, false};
    for (int v = 1; v <= scores.n; ++v) (candidates[v] ? upper : lower).tokens.push_back(v);
    lower.sources = upper.tokens;
    if (marginals) std::fill_n(marginals, static_cast<std::size_t>(scores.width()) * scores.width(), 0.0);
    return solve_one_of(scores, upper, marginals) + solve_one_of(scores, lower, marginals);
}

double solve(ArcScores scores, bool single_root, ScoreRange range, double* marginals) {
    if (scores.n == 0) {
        if (marginals) marginals[0] = 0;
        return 0;
    }
    if (range.has_impossible()) {
        if (single_root) {
            const auto candidates = root_candidates(scores);
            if (candidates.empty()) throw Infeasible(explain_infeasible(scores, true));
            if (std::count(candidates.begin(), candidates.end(), 1) < scores.n)
                return solve_pieces(scores, candidates, marginals);
        } else if (!all_reachable(scores)) {
            throw Infeasible(explain_infeasible(scores, false));
        }
    }
    return solve_piece(scores, single_root, range.is_moderate(), marginals);
}

}  // namespace

double log_partition(ArcScores scores, bool single_root, ScoreRange range) {
    return solve(scores, single_root, range, nullptr);
}

double arc_marginals(ArcScores scores, bool single_root, ScoreRange range, double* marginals) {
    return solve(scores, single_root, range, marginals);
}

// H = log Z - E[score], on scores less those of the best tree's arcs: both terms are then small, and little cancels.
double tree_entropy(ArcScores scores, bool single_root, ScoreRange range) {
    const std::size_t width = scores.width(), cells = width * width;
    Heads heads(width);
    best_tree(scores, single_root, heads.data());
    std::vector<double> shifted(scores.data, scores.data + cells), marginals(cells);
    for (std::size_t c = 0; c < cells; ++c)
        if (const std::size_t m = c % width) shifted[c] -= scores(heads[m], static_cast<int>(m));
    const double log_z =
        solve({shifted.data(), scores.n}, single_root, {range.lowest, INFINITY}, marginals.data());
    long double expected = 0;
    for (std::size_t c = 0; c < cells; ++c)
        if (marginals[c] > 0) expected += static_cast<long double>(marginals[c]) * shifted[c];
    return std::max(0.0, static_cast<double>(log_z - expected));
}

void complement_columns(double* marginals, int n) {
    const std::size_t width = n + 1;
    for (int m = 0; m <= n; ++m) {
        int likely = -1;
        double others = 0;
        for (int h = 0; h <= n; ++h) {
            double& p = marginals[h * width + m];
            if (m > 0 && p > 0.5 && likely < 0) {
                likely = h;
                continue;
            }
            others += p;
            p = 1 - p;
        }
        if (likely >= 0) marginals[likely * width + m] = std::min(others, 1.0);
    }
}

}  // namespace arbora
