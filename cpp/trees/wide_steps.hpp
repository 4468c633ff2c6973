#pragma once
#include <algorithm>
#include <cstddef>

#include "support/wide_lanes.hpp"
#include "trees/plain_steps.hpp"

// Elimination's steps for wide numbers. A sum of two waits for a dozen instructions, so that sums of many are not taken one
// by one: terms are written as multiples of one power of two, that of the largest, and added up as doubles.

namespace arbora {
namespace {

// Copies what is left of column k to t, with the root's arc after it (at left.end) and zeros up to a whole vector, and
// returns d_k; a single root's arc counts as 0 in that.
ARBORA_INLINE Wide gather_column(const Wide* column, std::size_t ld, Left left, Wide* t) {
    const int whole = left.begin + (left.end - left.begin) / lane_count * lane_count;
    for (int i = left.begin; i < whole; i += lane_count) store(t + i, WideLanes(column + i * ld, ld));
    Wide rest[lane_count];
    for (int i = whole; i < left.end; ++i) rest[i - whole] = column[i * ld];
    const Wide root = column[left.root * ld];
    rest[left.end - whole] = left.single_root ? Wide() : root;
    store(t + whole, load(rest));
    const Wide sum = sum_of(t + left.begin, left.end + 1 - left.begin);
    t[left.end] = root;
    return sum;
}

// d_k and t_k.
ARBORA_INLINE Wide find_steps(const Wide* w, std::size_t ld, int k, Left left, Wide* t) {
    const Wide pivot = gather_column(w + k, ld, left, t);
    if (pivot.is_zero()) return pivot;
    const WideLanes inverse(Wide(1) / pivot);
    for (int i = left.begin; i <= left.end; i += lane_count) store(t + i, (load(t + i) * inverse).normal());
    t[left.root] = t[left.end];
    return pivot;
}

// d and t of two tokens, k taken out first: as for doubles.
ARBORA_INLINE bool find_two_steps(const Wide* w, std::size_t ld, int k, int l, Left left, Wide* t_k, Wide* t_l,
                                  Wide* pivots) {
    const Wide sum_k = gather_column(w + k, ld, left, t_k), sum_l = gather_column(w + l, ld, left, t_l);
    const Wide w_kl = w[k * ld + l], w_lk = w[l * ld + k];
    pivots[0] = sum_k + w_lk;
    if (pivots[0].is_zero()) return false;
    const Wide inverse_k = Wide(1) / pivots[0];
    pivots[1] = sum_l + w_kl * sum_k * inverse_k;
    if (pivots[1].is_zero()) return false;
    const WideLanes all_k(inverse_k), all_l(Wide(1) / pivots[1]), all_kl(w_kl);
    for (int i = left.begin; i <= left.end; i += lane_count) {
        const WideLanes steps = (load(t_k + i) * all_k).normal();
        store(t_k + i, steps);
        store(t_l + i, (WideLanes::multiple_of_sum(load(t_l + i), steps * all_kl) * all_l).normal());
    }
    t_k[left.root] = t_k[left.end];
    t_l[left.root] = t_l[left.end];
    t_k[l] = w_lk * inverse_k;
    return true;
}

// q_kj = t_k0 + sum_i t_ki q_ij for the columns [first, last).
ARBORA_INLINE void put_back(const Wide* t, Wide* q, std::size_t ld, int k, Left left, int first, int last) {
    for (int j = first; j < last; j += lane_count) {
        WideLanes sum(t[left.root]);
        const auto term = [=](int i) ARBORA_INLINED { return WideLanes(t[i]) * load(q + i * ld + j); };
        int i = left.begin;
        for (; i + 4 <= left.end; i += 4)
            sum = WideLanes::multiple_of_sum(sum, term(i), term(i + 1), term(i + 2), term(i + 3));
        for (; i < left.end; ++i) sum = WideLanes::multiple_of_sum(sum, term(i));
        Wide four[lane_count];
        store(four, sum.normal());
        std::copy(four, four + std::min(lane_count, last - j), q + k * ld + j);
    }
}

}  // namespace
}  // namespace arbora
