#pragma once
#include <algorithm>

#include "support/vectorise.hpp"
#include "trees/small_graphs.hpp"

// Small graphs solved four at once, in vectors of doubles or of wide numbers. Included by the two files that compile it for
// one of them, in whose functions all of it is compiled for the machine's instructions.

namespace arbora {
namespace {

constexpr int most = 8;    // tokens
constexpr int row = most;  // numbers in a row of the tables here

// ---- vectors of doubles and of wide numbers ----

ARBORA_INLINE Lanes loose_sum(Lanes a, Lanes b) { return a + b; }
ARBORA_INLINE WideLanes loose_sum(const WideLanes& a, const WideLanes& b) { return WideLanes::multiple_of_sum(a, b); }

// The same cell of four tables.
ARBORA_INLINE Lanes gather(double* const (&from)[lane_count], std::size_t cell) {
    return Lanes{from[0][cell], from[1][cell], from[2][cell], from[3][cell]};
}
ARBORA_INLINE WideLanes gather(const WideCells (&from)[lane_count], std::size_t cell) {
    double *mantissas[lane_count], *exponents[lane_count];
    for (int lane = 0; lane < lane_count; ++lane) {
        mantissas[lane] = from[lane].mantissas();
        exponents[lane] = from[lane].exponents();
    }
    return {gather(mantissas, cell), gather(exponents, cell)};
}

ARBORA_INLINE void set_lane(Lanes& x, int lane, double value) { x[lane] = value; }
ARBORA_INLINE void set_lane(WideLanes& x, int lane, Wide value) { x.set(lane, value); }

// ---- the steps, for a number of tokens that the compiler knows ----

// Takes token k out, with [begin, end) and the root (row m) left; t_k is kept. (Mantissas of wide numbers grow by two bits
// at most, since steps are normal.)
template <int m, class Vector>
ARBORA_INLINE Vector take_out(Vector* w, int k, int begin, int end, bool single_root, Vector* t) {
    Vector pivot = single_root ? Vector{} : w[m * row + k];
    for (int i = begin; i < end; ++i) pivot = loose_sum(pivot, w[i * row + k]);
    pivot = normal(pivot);
    const Vector inverse = (Vector{} + 1) / pivot;
    auto pass_on = [&](int i) {
        const Vector step = t[i] = normal(w[i * row + k] * inverse);
        for (int j = begin; j < end; ++j) w[i * row + j] = loose_sum(w[i * row + j], step * w[k * row + j]);
    };
    for (int i = begin; i < end; ++i) pass_on(i);
    pass_on(m);
    return pivot;
}

template <int m, class Vector>
ARBORA_INLINE void put_back(const Vector* t, Vector* q, int k, int begin, int end, int first, int last) {
    for (int j = first; j < last; ++j) {
        Vector sum = t[m];
        for (int i = begin; i < end; ++i) sum = loose_sum(sum, t[i] * q[i * row + j]);
        q[k * row + j] = normal(sum);
    }
}

// Elimination::halve. `excused` has a 1 in the lanes where token 0 was added.
template <int m, class Vector>
ARBORA_INLINE bool halve(Vector* w, bool single_root, Vector* q, Vector* g, Vector* factors, const Vector& excused) {
    if constexpr (m == 2) {
        return solve_two(w, row, single_root, q, g, factors, excused);
    } else if constexpr (m == 3) {
        return solve_three(w, row, single_root, q, g, factors, excused);
    } else {
        constexpr int half = m / 2;
        Vector rest[(m + 1) * row], t[m][m + 1];
        std::copy(w, w + m * row + m, rest);
        for (int k = 0; k < half; ++k) {
            factors[k] = take_out<m>(rest, k, k + 1, m, single_root, t[k]);
            if (!large_enough(factors[k])) return false;
        }
        constexpr int corner = half * row + half;
        if (!halve<m - half>(rest + corner, single_root, q + corner, g + half, factors + half, Vector{})) return false;
        for (int k = half - 1; k >= 0; --k) put_back<m>(t[k], q, k, k + 1, m, half, m);

        Vector unwanted[m];
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
template <int m, class Vector, class Number>
ARBORA_INLINE bool solve_all(const SmallGraph<Number> (&graphs)[4], std::size_t ld, bool single_root) {
    Vector w[(m + 1) * row], q[m * row], g[m], factors[m], excused{};
    const Number none{}, one(1);
    // Row i and column j of a lane, counted with the added token.
    Cells<Number> from[lane_count];
    for (int lane = 0; lane < lane_count; ++lane) {
        const bool added = graphs[lane].tokens < m;
        from[lane] = graphs[lane].w + (added ? -static_cast<std::ptrdiff_t>(ld + 1) : 0);
        set_lane(excused, lane, added ? one : none);
    }
    for (int i = 1; i <= m; ++i)
        for (int j = 1; j < m; ++j) w[i * row + j] = gather(from, i * ld + j);
    for (int lane = 0; lane < lane_count; ++lane) {
        const bool added = graphs[lane].tokens < m;
        for (int j = 1; j < m; ++j) set_lane(w[j], lane, added ? none : static_cast<Number>(from[lane][j]));
        for (int i = 1; i <= m; ++i)
            set_lane(w[i * row], lane, !added ? static_cast<Number>(from[lane][i * ld]) : i == m - 1 ? one : none);
    }
    if (!halve<m>(w, single_root, q, g, factors, excused)) return false;
    for (int lane = 0; lane < lane_count; ++lane) {
        const SmallGraph<Number>& graph = graphs[lane];
        const int added = m - graph.tokens;
        for (int i = 0; i < graph.tokens; ++i) {
            for (int j = 0; j < graph.tokens; ++j) graph.q[i * ld + j] = q[(i + added) * row + (j + added)][lane];
            graph.g[i] = g[i + added][lane];
        }
        if (!graph.factors) continue;
        for (int i = 0; i < graph.tokens; ++i) graph.factors[i] = factors[i + added][lane];
        // solve_three's first is a product
        if (added) graph.factors[0] = graph.factors[0] * factors[0][lane];
    }
    return true;
}

template <class Vector, class Number>
ARBORA_INLINE bool solve_any(const SmallGraph<Number> (&graphs)[4], std::size_t ld, bool single_root) {
    int tokens = 0;
    for (const SmallGraph<Number>& graph : graphs) tokens = std::max(tokens, graph.tokens);
    switch (tokens) {
        case 4: return solve_all<4, Vector>(graphs, ld, single_root);
        case 5: return solve_all<5, Vector>(graphs, ld, single_root);
        case 6: return solve_all<6, Vector>(graphs, ld, single_root);
        case 7: return solve_all<7, Vector>(graphs, ld, single_root);
        default: return solve_all<8, Vector>(graphs, ld, single_root);
    }
}

}  // namespace
}  // namespace arbora
