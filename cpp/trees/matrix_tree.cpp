#include "trees/matrix_tree.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"
#include "support/wide.hpp"
#include "trees/elimination.hpp"
#include "trees/feasibility.hpp"

namespace arbora {
namespace {

// ---- scaling: weight = exp(score - shift of its modifier), so that a modifier's best head weighs 1 ----

struct Shifts {
    std::vector<double> column;  // per modifier
    double root_row = 0;         // a single root's arcs are used once, so their row may be shifted too
};

ARBORA_VECTORISED void column_maxima(const double* scores, int n, int first_head, double* __restrict maxima) {
    const int width = n + 1;
    for (int m = 0; m < width; ++m) maxima[m] = impossible;
    for (int h = first_head; h < width; ++h) {
        const double* row = scores + static_cast<std::size_t>(h) * width;
        const double self = maxima[h];
        ARBORA_INDEPENDENT
        for (int m = 0; m < width; ++m) maxima[m] = row[m] > maxima[m] ? row[m] : maxima[m];
        maxima[h] = self;
    }
}

void choose_shifts(ArcScores scores, bool single_root, Shifts& shifts) {
    shifts.column.resize(scores.width());
    column_maxima(scores.data, scores.n, single_root ? 1 : 0, shifts.column.data());
    shifts.root_row = 0;
    if (!single_root) return;
    if (scores.n == 1) shifts.column[1] = 0;  // no arc but the root's
    shifts.root_row = impossible;
    for (int m = 1; m <= scores.n; ++m)
        shifts.root_row = std::max(shifts.root_row, scores(0, m) - shifts.column[m]);
}

double total_shift(const Shifts& shifts) {
    long double total = shifts.root_row;
    for (std::size_t m = 1; m < shifts.column.size(); ++m) total += shifts.column[m];
    return static_cast<double>(total);
}

// Rows of weights: the tokens' first, the root's last; a column per token.
ARBORA_VECTORISED void fill_rows(const double* scores, int n, const double* shift, double root_shift,
                                 double* __restrict w, std::size_t ld) {
    const int width = n + 1;
    for (int h = 0; h < width; ++h) {
        const double* row = scores + static_cast<std::size_t>(h) * width;
        double* to = w + static_cast<std::size_t>(h ? h - 1 : n) * ld;
        const double extra = h ? 0 : root_shift;
        int m = 1;
        for (; m + lane_count <= width; m += lane_count)
            store(to + m - 1, exp_bounded(load(row + m) - load(shift + m) - extra));
        for (; m < width; ++m) to[m - 1] = exp_bounded(row[m] - shift[m] - extra);
    }
}

void fill_weights(ArcScores scores, const Shifts& shifts, double* w, std::size_t ld) {
    fill_rows(scores.data, scores.n, shifts.column.data(), shifts.root_row, w, ld);
    for (int m = 0; m < scores.n; ++m) w[m * ld + m] = 0;
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
    std::vector<Number> weights, w, q, g, factors;
    std::size_t ld = 0;

    void resize(int n, bool marginals) {
        ld = Elimination<Number>::row_length(n);
        w.resize((n + 1) * ld);
        if (!marginals) return;
        weights.resize((n + 1) * ld);
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
    fill_weights(scores, shifts, space.w.data(), space.ld);
    if (!elimination<Number>(single_root).factors(space.w.data(), scores.n, space.factors)) return false;
    result = log_product(space.factors) + total_shift(shifts);
    return true;
}

// P(i -> j) = w_ij g_j q_ij, and P(0 -> j) = w_0j g_j.
ARBORA_VECTORISED void multiply(const double* weights, const double* q, const double* g, int n, std::size_t ld,
                                double* __restrict marginals) {
    const int width = n + 1;
    for (int j = 0; j < n; ++j) marginals[1 + j] = weights[n * ld + j] * g[j];
    for (int i = 0; i < n; ++i) {
        double* row = marginals + static_cast<std::size_t>(i + 1) * width + 1;
        ARBORA_INDEPENDENT
        for (int j = 0; j < n; ++j) row[j] = weights[i * ld + j] * g[j] * q[i * ld + j];
    }
}
void multiply(const Wide* weights, const Wide* q, const Wide* g, int n, std::size_t ld, double* marginals) {
    const int width = n + 1;
    for (int j = 0; j < n; ++j) marginals[1 + j] = (weights[n * ld + j] * g[j]).value();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            marginals[(i + 1) * width + 1 + j] = (weights[i * ld + j] * g[j] * q[i * ld + j]).value();
}

template <class Number>
bool try_marginals(ArcScores scores, bool single_root, const Shifts& shifts, double* marginals, double& result) {
    thread_local Workspace<Number> space;
    const int n = scores.n;
    space.resize(n, true);
    fill_weights(scores, shifts, space.weights.data(), space.ld);
    space.w = space.weights;
    if (!elimination<Number>(single_root).solve(space.w.data(), n, space.q.data(), space.g.data(), space.factors))
        return false;
    multiply(space.weights.data(), space.q.data(), space.g.data(), n, space.ld, marginals);
    for (int m = 0; m <= n; ++m) marginals[m * (n + 1)] = 0;
    result = log_product(space.factors) + total_shift(shifts);
    return true;
}

// A graph in one piece: every token can be reached, and with a single root every token can be that root's child
// as far as the arcs between tokens go. Marginals are wanted if there is a place for them.
double solve_piece(ArcScores scores, bool single_root, double* marginals) {
    thread_local Shifts shifts;
    choose_shifts(scores, single_root, shifts);
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
    const double value = solve_piece({inner.data(), m}, piece.single_root, marginals ? result.data() : nullptr);
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

double solve(ArcScores scores, bool single_root, bool has_impossible, double* marginals) {
    if (scores.n == 0) {
        if (marginals) marginals[0] = 0;
        return 0;
    }
    if (has_impossible) {
        if (single_root) {
            const auto candidates = root_candidates(scores);
            if (candidates.empty()) throw Infeasible(explain_infeasible(scores, true));
            if (std::count(candidates.begin(), candidates.end(), 1) < scores.n)
                return solve_pieces(scores, candidates, marginals);
        } else if (!all_reachable(scores)) {
            throw Infeasible(explain_infeasible(scores, false));
        }
    }
    return solve_piece(scores, single_root, marginals);
}

}  // namespace

double log_partition(ArcScores scores, bool single_root, bool has_impossible) {
    return solve(scores, single_root, has_impossible, nullptr);
}

double arc_marginals(ArcScores scores, bool single_root, bool has_impossible, double* marginals) {
    return solve(scores, single_root, has_impossible, marginals);
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
        if (likely >= 0) marginals[likely * width + m] = others;
    }
}

}  // namespace arbora
