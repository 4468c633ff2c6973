#include "trees/matrix_tree.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/vectorise.hpp"
#include "trees/arc_weights.hpp"
#include "trees/elimination.hpp"
#include "trees/feasibility.hpp"
#include "trees/mst.hpp"

namespace arbora {
namespace {

// ---- sums, in double or Wide ----

template <class Number>
struct Workspace {
    CellVector<Number> weights, q, g;
    std::vector<Number> factors;
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
    fill_weights(scores, shifts, space.weights.cells(), space.ld);
    if (!elimination<Number>(single_root).factors(space.weights.cells(), scores.n, space.factors)) return false;
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
void multiply(WideCells weights, WideCells q, WideCells g, int n, std::size_t ld, double* marginals) {
    const int width = n + 1;
    for (int j = 0; j < n; ++j) {
        const Wide g_j = g[j];
        marginals[1 + j] = std::min((weights[n * ld + j] * g_j).value(), 1.0);
        for (int i = 0; i < n; ++i)
            marginals[(i + 1) * width + 1 + j] = std::min((weights[i * ld + j] * g_j * q[i * ld + j]).value(), 1.0);
    }
}

template <class Number>
bool try_marginals(ArcScores scores, bool single_root, const Shifts& shifts, double* marginals, double& result) {
    thread_local Workspace<Number> space;
    const int n = scores.n;
    space.resize(n, true);
    fill_weights(scores, shifts, space.weights.cells(), space.ld);
    if (!elimination<Number>(single_root)
             .solve(space.weights.cells(), n, space.q.cells(), space.g.cells(), space.factors))
        return false;
    multiply(space.weights.cells(), space.q.cells(), space.g.cells(), n, space.ld, marginals);
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
            if (candidates.empty()) throw_infeasible(scores, true);
            if (std::count(candidates.begin(), candidates.end(), 1) < scores.n)
                return solve_pieces(scores, candidates, marginals);
        } else if (!all_reachable(scores)) {
            throw_infeasible(scores, false);
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
    const double log_z = solve({shifted.data(), scores.n}, single_root, {range.lowest, INFINITY}, marginals.data());
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
