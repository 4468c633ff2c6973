#pragma once
#include <cstddef>
#include <vector>

#include "support/cells.hpp"
#include "support/tropical.hpp"

namespace arbora {

// Sums over all spanning trees without one subtraction.
//
// The matrix-tree theorem takes determinants and inverses of a Laplacian, whose entries cancel. Here a token k is
// taken out of the graph instead, its arcs passed on (Grassmann, Taksar & Heyman 1985 do this to Markov chains):
//
//     d_k = sum_i w_ik,    t_ki = w_ik / d_k,    w_ij += t_ki * w_kj    for all i, j left,    Z = d_k * Z(rest).
//
// Sums, products and quotients of non-negative numbers only: every result has nearly full relative precision,
// however small. The probabilities follow from a random walk that steps from a token to a head with probability t:
//
//     P(i -> j) = w_ij * g_j * q_ij,   g_j = 1 / w_0j once all but j are out,   q_ij = P(from i, root before j).
//
// q needs, for each j, the graph with j left to the last. Halving shares that work: take out one half, solve the
// other, and the reverse; q of what was taken out follows by q_kj = sum_i t_ki * q_ij, in reverse order. With
// T(n) = 2 T(n/2) + O(n^3) it is O(n^3): 2.6 n^3 flops, against 2.7 n^3 for an LU and an inverse.
//
// A single root (exactly one root arc): scale root arcs by an infinitesimal and keep leading terms. It vanishes from
// every formula but one: the root is left out of the sum d_k.
//
// Matrices have a row per head, the root's row last, and a column per modifier, rows `row_length(m)` numbers apart.
// Number is double, or Wide where doubles would underflow; with doubles, a pivot below 1e-100 makes the functions
// return false, and the caller repeats in Wide. Since nothing is subtracted, Tropical makes maxima of all sums: Z is
// then the best tree's weight, and P(i -> j) that of the best tree with the arc, relative to it.
template <class Number>
class Elimination {
public:
    explicit Elimination(bool single_root) : single_root_(single_root) {}

    // Room for m columns and for whole vectors that begin at the last of them.
    static std::size_t row_length(int m) { return static_cast<std::size_t>((m + 3) & ~3) + 4; }

    // Numbers whose product is Z of the m-token graph. Destroys `w` (m + 1 rows).
    bool factors(Cells<Number> w, int m, std::vector<Number>& result);

    // q (m rows, row i column j), g (m) and the factors of Z.
    bool solve(Cells<Number> w, int m, Cells<Number> q, Cells<Number> g, std::vector<Number>& result);
    // The same in memory of the caller: m factors, and scratch of this length.
    static std::size_t scratch_length(int m);
    bool solve(Cells<Number> w, int m, Cells<Number> q, Cells<Number> g, Number* factors, Cells<Number> scratch);

private:
    bool halve(Cells<Number> w, int m, Cells<Number> q, Cells<Number> g, Cells<Number> arena, Number* factors);

    bool single_root_;
    std::size_t ld_ = 0;
    CellVector<Number> arena_;
};

extern template class Elimination<double>;
extern template class Elimination<Wide>;
extern template class Elimination<Tropical>;

}  // namespace arbora
