#pragma once
#include <algorithm>
#include <cstddef>

#include "support/wide_lanes.hpp"
#include "trees/columns.hpp"
#include "trees/plain_steps.hpp"
#include "trees/small_graphs.hpp"

// Elimination's steps for wide numbers. A sum of two waits for a dozen instructions, so that sums of many are not taken one
// by one: terms are written as multiples of one power of two, that of the largest, and added up as doubles.

namespace arbora {
namespace {

// Copies what is left of the columns k and k + 1 to t, with the root's arcs after it (at left.end) and zeros up to a whole
// vector; a single root's arcs are left out.
ARBORA_INLINE void gather_two(WideCells columns, std::size_t ld, Left left, WideCells t_first, WideCells t_second) {
    int i = left.begin;
    for (; i + lane_count <= left.end; i += lane_count) {
        const TwoColumns mantissas = load_two_columns(columns.mantissas() + i * ld, ld);
        const TwoColumns exponents = load_two_columns(columns.exponents() + i * ld, ld);
        store(t_first + i, WideLanes(mantissas.first, exponents.first));
        store(t_second + i, WideLanes(mantissas.second, exponents.second));
    }
    for (int j = 0; j < 2; ++j) {
        WideLanes rest;
        for (int lane = 0; lane < lane_count - 1; ++lane)
            if (i + lane < left.end) rest.set(lane, columns[(i + lane) * ld + j]);
        if (!left.single_root) rest.set(left.end - i, columns[left.root * ld + j]);
        store((j ? t_second : t_first) + i, rest);
    }
}

// d_k and t_k.
ARBORA_INLINE Wide find_steps(WideCells w, std::size_t ld, int k, Left left, WideCells t) {
    const WideCells column = w + k;
    Wide pivot = left.single_root ? Wide() : Wide(column[left.root * ld]);
    for (int i = left.begin; i < left.end; ++i) pivot += column[i * ld];
    if (pivot.is_zero()) return pivot;
    const Wide inverse = Wide(1) / pivot;
    for (int i = left.begin; i < left.end; ++i) t[i] = column[i * ld] * inverse;
    t[left.root] = column[left.root * ld] * inverse;
    return pivot;
}

// d and t of two neighbours, k taken out first: as for doubles.
ARBORA_INLINE bool find_two_steps(WideCells w, std::size_t ld, int k, int l, Left left, WideCells t_k, WideCells t_l,
                                  Wide* pivots) {
    const int count = left.end + 1 - left.begin;
    gather_two(w + std::min(k, l), ld, left, k < l ? t_k : t_l, k < l ? t_l : t_k);
    const WideLanes sum_k = sum_of(t_k + left.begin, count), sum_l = sum_of(t_l + left.begin, count);
    t_k[left.end] = w[left.root * ld + k];
    t_l[left.end] = w[left.root * ld + l];
    // One number in all lanes, so that nothing is made normal on the way.
    const WideLanes one(Wide(1)), w_kl = spread(w + (k * ld + l)), w_lk = spread(w + (l * ld + k));
    const WideLanes pivot_k = WideLanes::multiple_of_sum(sum_k, w_lk);
    if (!large_enough(pivot_k)) return false;
    const WideLanes inverse_k = one / pivot_k;
    const WideLanes pivot_l = WideLanes::multiple_of_sum(sum_l, w_kl * sum_k * inverse_k);
    if (!large_enough(pivot_l)) return false;
    const WideLanes inverse_l = one / pivot_l;
    pivots[0] = pivot_k.normal()[0];
    pivots[1] = pivot_l.normal()[0];
    for (int i = left.begin; i <= left.end; i += lane_count) {
        const WideLanes steps = (load(t_k + i) * inverse_k).normal();
        store(t_k + i, steps);
        store(t_l + i, (WideLanes::multiple_of_sum(load(t_l + i), steps * w_kl) * inverse_l).normal());
    }
    t_k[left.root] = t_k[left.end];
    t_l[left.root] = t_l[left.end];
    t_k[l] = (w_lk * inverse_k).normal()[0];
    return true;
}

// q_kj = t_k0 + sum_i t_ki q_ij for a block of columns that ends before `last`, or within its last vector.
template <int vectors>
ARBORA_INLINE void put_back_block(WideCells t, WideCells q, std::size_t ld, int k, int column, int last, Left left) {
    WideLanes sums[vectors];
    for (WideLanes& sum : sums) sum = spread(t + left.root);
    const WideCells block = q + column;
    int i = left.begin;
    for (; i + 3 < left.end; i += 4) {
        const WideLanes a = spread(t + i), b = spread(t + (i + 1)), c = spread(t + (i + 2)), d = spread(t + (i + 3));
        for (int v = 0; v < vectors; ++v) {
            const WideCells rows = block + (i * ld + v * lane_count);
            sums[v] = WideLanes::multiple_of_sum(sums[v], a * load(rows), b * load(rows + ld), c * load(rows + 2 * ld),
                                                 d * load(rows + 3 * ld));
        }
    }
    for (; i < left.end; ++i)
        for (int v = 0; v < vectors; ++v)
            sums[v] = WideLanes::multiple_of_sum(sums[v], spread(t + i) * load(block + (i * ld + v * lane_count)));
    for (int v = 0; v < vectors; ++v)
        store_up_to(block + (k * ld + v * lane_count), std::min(lane_count, last - column - v * lane_count),
                    sums[v].normal());
}

ARBORA_INLINE void put_back(WideCells t, WideCells q, std::size_t ld, int k, Left left, int first, int last) {
    for_blocks<2>(first, last, [=](int column, auto vectors) ARBORA_INLINED {
        put_back_block<decltype(vectors)::value>(t, q, ld, k, column, last, left);
    });
}

}  // namespace
}  // namespace arbora
