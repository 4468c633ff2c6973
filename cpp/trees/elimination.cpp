#include "trees/elimination.hpp"

#include <algorithm>

#include "support/vectorise.hpp"

namespace arbora {
namespace {

// Weights below 1e-308 are lost to a double; next to pivots above this they change no result above 1e-200.
constexpr double smallest_pivot = 1e-100;

bool large_enough(double x) { return x >= smallest_pivot; }
bool large_enough(const Wide& x) { return !x.is_zero(); }

struct Left {
    int begin, end, root;  // tokens [begin, end) and the root's row are what is left in the graph
    bool single_root;
};

// Takes out token k: column k then holds t_k, the rest is updated. Returns d_k.
template <class Number>
[[gnu::always_inline]] inline Number take_out_of(Number* w, std::size_t ld, int k, Left left) {
    Number* column = w + k;
    Number pivot{};
    for (int i = left.begin; i < left.end; ++i) pivot += column[i * ld];
    if (!left.single_root) pivot += column[left.root * ld];
    if (!large_enough(pivot)) return pivot;
    const Number inverse = Number(1) / pivot;
    const Number* from = w + k * ld;
    auto pass_on = [&](int i) {
        const Number t = column[i * ld] = column[i * ld] * inverse;
        Number* row = w + i * ld;
        ARBORA_INDEPENDENT
        for (int j = left.begin; j < left.end; ++j) row[j] += t * from[j];
    };
    for (int i = left.begin; i < left.end; ++i) pass_on(i);
    pass_on(left.root);
    return pivot;
}

// q_kj = t_k0 + sum_i t_ki q_ij for the columns [first, last).
template <class Number>
[[gnu::always_inline]] inline void put_back_into(const Number* w, Number* q, std::size_t ld, int k, Left left,
                                                 int first, int last) {
    const Number* t = w + k;
    Number* row = q + k * ld;
    const Number root = t[left.root * ld];
    for (int j = first; j < last; ++j) row[j] = root;
    int i = left.begin;
    // Four rows at a time: the sum stays in registers longer, which halves the time at n = 25.
    for (; i + 4 <= left.end; i += 4) {
        const Number *q0 = q + i * ld, *q1 = q0 + ld, *q2 = q1 + ld, *q3 = q2 + ld;
        const Number t0 = t[i * ld], t1 = t[(i + 1) * ld], t2 = t[(i + 2) * ld], t3 = t[(i + 3) * ld];
        ARBORA_INDEPENDENT
        for (int j = first; j < last; ++j)
            row[j] = row[j] + (t0 * q0[j] + t1 * q1[j]) + (t2 * q2[j] + t3 * q3[j]);
    }
    for (; i < left.end; ++i) {
        const Number ti = t[i * ld];
        ARBORA_INDEPENDENT
        for (int j = first; j < last; ++j) row[j] += ti * q[i * ld + j];
    }
}

ARBORA_VECTORISED double take_out(double* w, std::size_t ld, int k, Left left) {
    return take_out_of(w, ld, k, left);
}
ARBORA_VECTORISED void put_back(const double* w, double* q, std::size_t ld, int k, Left left, int first, int last) {
    put_back_into(w, q, ld, k, left, first, last);
}
Wide take_out(Wide* w, std::size_t ld, int k, Left left) { return take_out_of(w, ld, k, left); }
void put_back(const Wide* w, Wide* q, std::size_t ld, int k, Left left, int first, int last) {
    put_back_into(w, q, ld, k, left, first, last);
}

}  // namespace

template <class Number>
bool Elimination<Number>::factors(Number* w, int m, std::size_t ld, std::vector<Number>& result) {
    result.clear();
    for (int k = 0; k + 1 < m; ++k) {
        result.push_back(take_out(w, ld, k, Left{k + 1, m, m, single_root_}));
        if (!large_enough(result.back())) return false;
    }
    result.push_back(w[m * ld + (m - 1)]);
    return large_enough(result.back());
}

template <class Number>
bool Elimination<Number>::solve(Number* w, int m, std::size_t ld, Number* q, Number* g,
                                std::vector<Number>& result) {
    result.clear();
    // A copy of the graph for every first half: m + 1, m/2 + 2, ... rows.
    arena_.resize(ld * (2 * static_cast<std::size_t>(m) + 40));
    return halve(w, m, ld, q, g, arena_.data(), &result);
}

// `factors` is given along one chain of halves only: the one that takes out the first half every time.
template <class Number>
bool Elimination<Number>::halve(Number* w, int m, std::size_t ld, Number* q, Number* g, Number* arena,
                                std::vector<Number>* factors) {
    if (m == 1) {
        const Number last = w[ld];
        if (factors) factors->push_back(last);
        q[0] = Number(0);
        g[0] = Number(1) / last;
        return large_enough(last);
    }
    const int half = m / 2;

    // Without the first half; the second half and the root follow one another in the copy.
    Number* copy = arena;
    std::copy(w, w + m * ld + m, copy);
    for (int k = 0; k < half; ++k) {
        const Number pivot = take_out(copy, ld, k, Left{k + 1, m, m, single_root_});
        if (!large_enough(pivot)) return false;
        if (factors) factors->push_back(pivot);
    }
    const std::size_t corner = half * ld + half;
    if (!halve(copy + corner, m - half, ld, q + corner, g + half, arena + (m + 1) * ld, factors)) return false;
    for (int k = half - 1; k >= 0; --k) put_back(copy, q, ld, k, Left{k + 1, m, m, single_root_}, half, m);

    // Without the second half; the root's row moves up to follow the first half.
    for (int k = m - 1; k >= half; --k)
        if (!large_enough(take_out(w, ld, k, Left{0, k, m, single_root_}))) return false;
    std::copy(w + m * ld, w + m * ld + half, w + half * ld);
    if (!halve(w, half, ld, q, g, arena, nullptr)) return false;
    for (int k = half; k < m; ++k) put_back(w, q, ld, k, Left{0, k, m, single_root_}, 0, half);
    return true;
}

template class Elimination<double>;
template class Elimination<Wide>;

}  // namespace arbora
