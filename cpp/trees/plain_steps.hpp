#pragma once
#include <algorithm>
#include <cstddef>

// Elimination's steps with any numbers, plainly.

namespace arbora {
namespace {

// Numbers that know when they are zero: all but doubles.
template <class Number>
concept Plain = requires(Number x) { x.is_zero(); };

// What is left in the graph: the tokens [begin, end) and the root, in row `root`.
struct Left {
    int begin, end, root;
    bool single_root;
};

// Takes out token k: d_k is returned, t_k (indexed like rows) kept, and w_ij += t_ki w_kj. If d_k is too small,
// nothing but d_k is worked out.
template <Plain Number>
Number take_out(Number* w, std::size_t ld, int k, Left left, Number* t) {
    const Number* column = w + k;
    Number pivot = left.single_root ? Number() : column[left.root * ld];
    for (int i = left.begin; i < left.end; ++i) pivot += column[i * ld];
    if (pivot.is_zero()) return pivot;
    auto pass_on = [&](int i) {
        t[i] = column[i * ld] / pivot;
        for (int j = left.begin; j < left.end; ++j) w[i * ld + j] += t[i] * w[k * ld + j];
    };
    for (int i = left.begin; i < left.end; ++i) pass_on(i);
    pass_on(left.root);
    return pivot;
}

// Takes out k, then l, from `from` and leaves the rest in `to`, which may be the same; `left` is without both.
template <Plain Number>
bool take_out_two(Number* from, Number* to, std::size_t ld, int k, int l, Left left, Number* t_k, Number* t_l,
                  Number* pivots) {
    const Left with_l{std::min(left.begin, l), std::max(left.end, l + 1), left.root, left.single_root};
    if (to != from) std::copy(from, from + left.root * ld + std::max(with_l.end, k + 1), to);
    pivots[0] = take_out(to, ld, k, with_l, t_k);
    if (pivots[0].is_zero()) return false;
    pivots[1] = take_out(to, ld, l, left, t_l);
    return !pivots[1].is_zero();
}

// q_kj = t_k0 + sum_i t_ki q_ij for the columns [first, last).
template <Plain Number>
void put_back(Number* t, Number* q, std::size_t ld, int k, Left left, int first, int last) {
    for (int j = first; j < last; ++j) {
        Number sum = t[left.root];
        for (int i = left.begin; i < left.end; ++i) sum += t[i] * q[i * ld + j];
        q[k * ld + j] = sum;
    }
}

}  // namespace
}  // namespace arbora
