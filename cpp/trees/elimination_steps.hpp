#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "support/lanes.hpp"
#include "support/wide_lanes.hpp"
#include "trees/columns.hpp"
#include "trees/plain_steps.hpp"
#include "trees/small_graphs.hpp"
#include "trees/wide_steps.hpp"

// The steps of Elimination: one token or two taken out of a graph, one put back. Included by elimination.cpp alone, in whose
// functions all of it is compiled for the machine's instructions.

namespace arbora {
namespace {

// ---- with doubles and wide numbers, in vectors ----
// Rows are worked on in blocks of vectors that stay in registers, the last of which may run over into columns that
// are out of the graph already, or into the padding.

// Cells that vectors are loaded from, and how many vectors of two rows the registers hold.
template <class Cell>
struct Vectors;
template <>
struct Vectors<double*> {
    using Number = double;
    using Type = Lanes;
    static constexpr int most = 8;
};
template <>
struct Vectors<WideCells> {
    using Number = Wide;
    using Type = WideLanes;
    static constexpr int most = 2;
};
template <class Cell>
concept Vectored = requires { typename Vectors<Cell>::Type; };
template <class Cell>
using VectorOf = typename Vectors<Cell>::Type;
template <class Cell>
using NumberOf = typename Vectors<Cell>::Number;

// to + a from_a + b from_b.
ARBORA_INLINE Lanes pass_on_two(Lanes to, Lanes a, Lanes from_a, Lanes b, Lanes from_b) {
    return to + a * from_a + b * from_b;
}
ARBORA_INLINE WideLanes pass_on_two(const WideLanes& to, const WideLanes& a, const WideLanes& from_a,
                                    const WideLanes& b, const WideLanes& from_b) {
    return WideLanes::multiple_of_sum(to, a * from_a, b * from_b);
}

// Passing on lets a mantissa of a wide number grow by less than 3 bits. Every so many pairs of tokens they are made
// normal again, so that they stay below 2^300, however often a graph is halved, and products of two below 2^1000.
constexpr int pairs_between_normal = 32;

// d_k and t_k.
ARBORA_INLINE double find_steps(const double* w, std::size_t ld, int k, Left left, double* t) {
    const double* column = w + k;
    double pivot = left.single_root ? 0.0 : column[left.root * ld];
    for (int i = left.begin; i < left.end; ++i) pivot += column[i * ld];
    if (!large_enough(pivot)) return pivot;
    const double inverse = 1 / pivot;
    for (int i = left.begin; i < left.end; ++i) t[i] = column[i * ld] * inverse;
    t[left.root] = column[left.root * ld] * inverse;
    return pivot;
}

// d and t of two tokens, k taken out first. Without k, l's column is c_l + t_k w_kl, so its sum is known from those of
// both columns: they are read once, and nothing waits for anything but the two divisions.
ARBORA_INLINE bool find_two_steps(const double* w, std::size_t ld, int k, int l, Left left, double* t_k, double* t_l,
                                  double* pivots) {
    const double *column_k = w + k, *column_l = w + l;
    const int whole = left.begin + (left.end - left.begin) / lane_count * lane_count;
    double sum_k = left.single_root ? 0.0 : column_k[left.root * ld];
    double sum_l = left.single_root ? 0.0 : column_l[left.root * ld];
    Lanes sums_k{}, sums_l{};
    for (int i = left.begin; i < whole; i += lane_count) {
        const TwoColumns both = load_two_columns(w + std::min(k, l) + i * ld, ld);
        const Lanes four_k = k < l ? both.first : both.second, four_l = k < l ? both.second : both.first;
        sums_k += four_k;
        sums_l += four_l;
        store(t_k + i, four_k);
        store(t_l + i, four_l);
    }
    for (int i = whole; i < left.end; ++i) {
        sum_k += t_k[i] = column_k[i * ld];
        sum_l += t_l[i] = column_l[i * ld];
    }
    sum_k += sum_of_lanes(sums_k);
    sum_l += sum_of_lanes(sums_l);
    const double w_kl = column_l[k * ld], w_lk = column_k[l * ld];
    pivots[0] = sum_k + w_lk;
    if (!large_enough(pivots[0])) return false;
    const double inverse_k = 1 / pivots[0];
    pivots[1] = sum_l + inverse_k * w_kl * sum_k;
    if (!large_enough(pivots[1])) return false;
    const double inverse_l = 1 / pivots[1];
    const Lanes all_k = all_lanes(inverse_k), all_l = all_lanes(inverse_l), all_kl = all_lanes(w_kl);
    for (int i = left.begin; i < whole; i += lane_count) {
        const Lanes steps = load(t_k + i) * all_k;
        store(t_k + i, steps);
        store(t_l + i, (load(t_l + i) + steps * all_kl) * all_l);
    }
    auto finish = [=](int i, double c_k, double c_l) ARBORA_INLINED {
        t_k[i] = c_k * inverse_k;
        t_l[i] = (c_l + t_k[i] * w_kl) * inverse_l;
    };
    for (int i = whole; i < left.end; ++i) finish(i, t_k[i], t_l[i]);
    finish(left.root, column_k[left.root * ld], column_l[left.root * ld]);
    t_k[l] = w_lk * inverse_k;
    return true;
}

// to_ij = from_ij + t_ki row_k[j] + t_li row_l[j] for a block of columns.
template <int vectors, bool make_normal, Vectored Cell>
ARBORA_INLINE void pass_on(Cell from, Cell to, std::size_t ld, Cell row_k, Cell row_l, int column, Left left, Cell t_k,
                           Cell t_l) {
    using Vector = VectorOf<Cell>;
    Vector from_k[vectors], from_l[vectors];
    for (int v = 0; v < vectors; ++v) {
        from_k[v] = load(row_k + (column + v * lane_count));
        from_l[v] = load(row_l + (column + v * lane_count));
    }
    std::size_t row = left.begin * ld + column;
    for (int i = left.begin; i <= left.end; ++i, row += ld) {
        const int source = i == left.end ? left.root : i;
        if (i == left.end) row = left.root * ld + column;
        const Vector step_k = spread(t_k + source), step_l = spread(t_l + source);
        for (int v = 0; v < vectors; ++v) {
            const Vector sum = pass_on_two(load(from + (row + v * lane_count)), step_k, from_k[v], step_l, from_l[v]);
            store(to + (row + v * lane_count), make_normal ? normal(sum) : sum);
        }
    }
}

// Two at once: half the loads and stores, and half the overhead, which is what counts at n = 25.
template <Vectored Cell>
ARBORA_INLINE bool take_out_two(Cell from, Cell to, std::size_t ld, int k, int l, Left left, Cell t_k, Cell t_l,
                                NumberOf<Cell>* pivots) {
    if (!find_two_steps(from, ld, k, l, left, t_k, t_l, pivots)) return false;
    const Cell row_k = from + k * ld, row_l = to + l * ld;
    const VectorOf<Cell> step = spread(t_k + l);
    const bool make_normal = (left.end - left.begin) / 2 % pairs_between_normal == 0;
    for_blocks<Vectors<Cell>::most>(left.begin, left.end, [=](int column, auto vectors) ARBORA_INLINED {
        constexpr int count = decltype(vectors)::value;
        for (int place = column; place < column + count * lane_count; place += lane_count)
            store(row_l + place, load(from + (l * ld + place)) + step * load(row_k + place));
        if constexpr (std::is_same_v<Cell, WideCells>)
            if (make_normal) return pass_on<count, true>(from, to, ld, row_k, row_l, column, left, t_k, t_l);
        pass_on<count, false>(from, to, ld, row_k, row_l, column, left, t_k, t_l);
    });
    return true;
}

template <Vectored Cell>
ARBORA_INLINE NumberOf<Cell> take_out(Cell w, std::size_t ld, int k, Left left, Cell t) {
    const NumberOf<Cell> pivot = find_steps(w, ld, k, left, t);
    if (!large_enough(pivot)) return pivot;
    const Cell from = w + k * ld;
    auto row = [=](int i) ARBORA_INLINED {
        const VectorOf<Cell> steps = spread(t + i);
        for (int j = left.begin; j < left.end; j += lane_count) {
            const Cell to = w + (i * ld + j);
            store(to, load(to) + steps * load(from + j));
        }
    };
    for (int i = left.begin; i < left.end; ++i) row(i);
    row(left.root);
    return pivot;
}

// Even and odd rows are summed apart, so that sums of few vectors do not wait for themselves.
template <int vectors>
ARBORA_INLINE void put_back_block(const double* t, double* q, std::size_t ld, int k, int column, int last, Left left) {
    Lanes even[vectors], odd[vectors];
    for (int v = 0; v < vectors; ++v) even[v] = all_lanes(t[left.root]), odd[v] = Lanes{};
    const double* row = q + left.begin * ld + column;
    int i = left.begin;
    for (; i + 1 < left.end; i += 2, row += 2 * ld) {
        const Lanes step = all_lanes(t[i]), next_step = all_lanes(t[i + 1]);
        for (int v = 0; v < vectors; ++v) {
            even[v] += step * load(row + v * lane_count);
            odd[v] += next_step * load(row + ld + v * lane_count);
        }
    }
    if (i < left.end)
        for (int v = 0; v < vectors; ++v) even[v] += t[i] * load(row + v * lane_count);
    double* result = q + k * ld + column;
    const int whole = vectors * lane_count <= last - column ? vectors : vectors - 1;
    for (int v = 0; v < whole; ++v) store(result + v * lane_count, even[v] + odd[v]);
    if (whole == vectors) return;
    const Lanes rest = even[whole] + odd[whole];
    for (int l = 0; column + whole * lane_count + l < last; ++l) result[whole * lane_count + l] = rest[l];
}

ARBORA_INLINE void put_back(double* t, double* q, std::size_t ld, int k, Left left, int first, int last) {
    for_blocks<4>(first, last, [=](int column, auto vectors) ARBORA_INLINED {
        put_back_block<decltype(vectors)::value>(t, q, ld, k, column, last, left);
    });
}

}  // namespace
}  // namespace arbora
