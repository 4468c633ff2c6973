#pragma once
#include <cstddef>

#include "support/wide_lanes.hpp"

namespace arbora {

// The last levels of Elimination's halving: graphs so small that loops and calls would cost more than their sums.

// Weights below 1e-308 are lost to a double; next to pivots above this they change no result above 1e-200.
inline constexpr double smallest_pivot = 1e-100;

inline bool large_enough(double x) { return x >= smallest_pivot; }
template <class Number>
bool large_enough(const Number& x) {
    return !x.is_zero();
}
ARBORA_INLINE bool large_enough(const Lanes& x) {
    return !(x[0] < smallest_pivot || x[1] < smallest_pivot || x[2] < smallest_pivot || x[3] < smallest_pivot);
}

ARBORA_INLINE bool large_enough(const WideLanes& x) { return none_of(x.mantissas == 0.0); }

// q, g and the factors of Z (if wanted) of two tokens, written out. `excused` is added to the pivots of what is solved
// for token 0 before they are looked at.
template <class Number, class Cell>
ARBORA_INLINE bool solve_two(Cell w, std::size_t ld, bool single_root, Cell q, Cell g, Number* factors,
                             const Number& excused = Number{}) {
    const Cell root = w + 2 * ld;
    q[0] = q[ld + 1] = Number{};
    for (int out = 0; out < 2; ++out) {
        const int last = 1 - out;
        const Number step = w[last * ld + out];
        const Number pivot = single_root ? step : step + root[out];
        if (!large_enough(last ? pivot : pivot + excused)) return false;
        const Number escape = root[out] / pivot;
        const Number final = root[last] + escape * w[out * ld + last];
        if (!large_enough(last ? final : excused + final)) return false;
        q[out * ld + last] = escape;
        g[last] = (Number{} + 1) / final;
        if (factors && out == 0) factors[0] = pivot, factors[1] = final;
    }
    return true;
}

// The same of three. With x and y out of the graph and j left: e are the arcs into x and y from elsewhere (without a
// single root's), and the product of the pivots, d_x d_y - w_yx w_xy, is written as a sum.
template <class Number, class Cell>
ARBORA_INLINE bool solve_three(Cell w, std::size_t ld, bool single_root, Cell q, Cell g, Number* factors,
                               const Number& excused = Number{}) {
    const Cell root = w + 3 * ld;
    for (int j = 0; j < 3; ++j) {
        const int x = j == 0 ? 1 : 0, y = j == 2 ? 1 : 2;
        const Number w_xy = w[x * ld + y], w_yx = w[y * ld + x], r_x = root[x], r_y = root[y];
        const Number w_jx = w[j * ld + x], e_x = single_root ? w_jx : w_jx + r_x;
        const Number w_jy = w[j * ld + y], e_y = single_root ? w_jy : w_jy + r_y;
        const Number pivots = e_x * e_y + (e_x * w_xy + e_y * w_yx);
        if (!large_enough(j ? pivots : pivots + excused)) return false;
        const Number inverse = (Number{} + 1) / pivots;
        const Number q_x = (r_x * (w_xy + e_y) + w_yx * r_y) * inverse;
        const Number q_y = (r_y * (w_yx + e_x) + w_xy * r_x) * inverse;
        const Number final = root[j] + (w[x * ld + j] * q_x + w[y * ld + j] * q_y);
        if (!large_enough(j ? final : final + excused)) return false;
        q[x * ld + j] = q_x;
        q[y * ld + j] = q_y;
        q[j * ld + j] = Number{};
        g[j] = (Number{} + 1) / final;
        if (factors && j == 2) factors[0] = pivots, factors[1] = final, factors[2] = Number{} + 1;
    }
    return true;
}

// A graph of 2 to 8 tokens, its root's row last, and where its results go; factors may be null.
template <class Number>
struct SmallGraph {
    Cells<Number> w;
    int tokens;
    Cells<Number> q, g;
    Number* factors;
};

// Four such graphs at once, one in each lane; rows of all tables are `ld` apart. False if a pivot is too small.
bool solve_four(const SmallGraph<double> (&graphs)[4], std::size_t ld, bool single_root);
bool solve_four(const SmallGraph<Wide> (&graphs)[4], std::size_t ld, bool single_root);

}  // namespace arbora
