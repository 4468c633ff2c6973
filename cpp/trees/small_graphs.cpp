#include "trees/small_graphs.hpp"

#include <algorithm>

#include "support/vectorise.hpp"

namespace arbora {
namespace {

constexpr int most = 8;    // tokens
constexpr int row = most;  // numbers in a row of the tables here

// Takes token k out, with [begin, end) and the root (row m) left; t_k is kept.
template <int m>
ARBORA_INLINE Lanes take_out(Lanes* w, int k, int begin, int end, bool single_root, Lanes* t) {
    Lanes pivot = single_root ? Lanes{} : w[m * row + k];
    for (int i = begin; i < end; ++i) pivot += w[i * row + k];
    const Lanes inverse = 1.0 / pivot;
    auto pass_on = [&](int i) {
        const Lanes step = t[i] = w[i * row + k] * inverse;
        for (int j = begin; j < end; ++j) w[i * row + j] += step * w[k * row + j];
    };
    for (int i = begin; i < end; ++i) pass_on(i);
    pass_on(m);
    return pivot;
}

template <int m>
ARBORA_INLINE void put_back(const Lanes* t, Lanes* q, int k, int begin, int end, int first, int last) {
    for (int j = first; j < last; ++j) {
        Lanes sum = t[m];
        for (int i = begin; i < end; ++i) sum += t[i] * q[i * row + j];
        q[k * row + j] = sum;
    }
}

// Elimination::halve for a number of tokens that the compiler knows. `excused` has a 1 in the lanes where token 0 was
// added.
template <int m>
ARBORA_INLINE bool halve(const Lanes* w, bool single_root, Lanes* q, Lanes* g, Lanes* factors, Lanes excused) {
    if constexpr (m == 2) {
        return solve_two(w, row, single_root, q, g, factors, excused);
    } else if constexpr (m == 3) {
        return solve_three(w, row, single_root, q, g, factors, excused);
    } else {
        constexpr int half = m / 2;
        Lanes rest[(m + 1) * row], t[m][m + 1];
        std::copy(w, w + m * row + m, rest);
        for (int k = 0; k < half; ++k) {
            factors[k] = take_out<m>(rest, k, k + 1, m, single_root, t[k]);
            if (!large_enough(factors[k])) return false;
        }
        constexpr int corner = half * row + half;
        if (!halve<m - half>(rest + corner, single_root, q + corner, g + half, factors + half, Lanes{})) return false;
        for (int k = half - 1; k >= 0; --k) put_back<m>(t[k], q, k, k + 1, m, half, m);

        Lanes unwanted[m];
        std::copy(w, w + m * row + m, rest);
        for (int k = m - 1; k >= half; --k)
            if (!large_enough(take_out<m>(rest, k, 0, k, single_root, t[k]))) return false;
        std::copy(rest + m * row, rest + m * row + half, rest + half * row);
        if (!halve<half>(rest, single_root, q, g, unwanted, excused)) return false;
        for (int k = half; k < m; ++k) put_back<m>(t[k], q, k, 0, k, 0, half);
        return true;
    }
}

// A graph with a token less gets another before its own, which the last token heads and which heads nothing: it
// multiplies Z by 1 and changes nothing else. (What is solved for it may come out as nan, and is not used.)
template <int m>
ARBORA_INLINE bool solve_all(const SmallGraph (&graphs)[4], std::size_t ld, bool single_root) {
    Lanes w[(m + 1) * row], q[m * row], g[m], factors[m], excused{};
    // Row i and column j of a lane, counted with the added token.
    const double* from[lane_count];
    for (int lane = 0; lane < lane_count; ++lane) {
        const bool added = graphs[lane].tokens < m;
        from[lane] = graphs[lane].w - (added ? ld + 1 : 0);
        excused[lane] = added;
    }
    for (int i = 1; i <= m; ++i)
        for (int j = 1; j < m; ++j) {
            const std::size_t cell = i * ld + j;
            w[i * row + j] = Lanes{from[0][cell], from[1][cell], from[2][cell], from[3][cell]};
        }
    for (int lane = 0; lane < lane_count; ++lane) {
        const bool added = graphs[lane].tokens < m;
        for (int j = 1; j < m; ++j) w[j][lane] = added ? 0 : from[lane][j];
        for (int i = 1; i <= m; ++i) w[i * row][lane] = added ? i == m - 1 : from[lane][i * ld];
    }
    if (!halve<m>(w, single_root, q, g, factors, excused)) return false;
    for (int lane = 0; lane < lane_count; ++lane) {
        const SmallGraph& graph = graphs[lane];
        const int added = m - graph.tokens;
        for (int i = 0; i < graph.tokens; ++i) {
            for (int j = 0; j < graph.tokens; ++j)
                graph.q[i * ld + j] = q[(i + added) * row + (j + added)][lane];
            graph.g[i] = g[i + added][lane];
        }
        if (!graph.factors) continue;
        for (int i = 0; i < graph.tokens; ++i) graph.factors[i] = factors[i + added][lane];
        if (added) graph.factors[0] *= factors[0][lane];  // solve_three's first is a product
    }
    return true;
}

}  // namespace

ARBORA_VECTORISED bool solve_four(const SmallGraph (&graphs)[4], std::size_t ld, bool single_root) {
    int tokens = 0;
    for (const SmallGraph& graph : graphs) tokens = std::max(tokens, graph.tokens);
    switch (tokens) {
        case 4: return solve_all<4>(graphs, ld, single_root);
        case 5: return solve_all<5>(graphs, ld, single_root);
        case 6: return solve_all<6>(graphs, ld, single_root);
        case 7: return solve_all<7>(graphs, ld, single_root);
        default: return solve_all<8>(graphs, ld, single_root);
    }
}

}  // namespace arbora
