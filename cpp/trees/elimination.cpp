#include "trees/elimination.hpp"

#include <algorithm>
#include <type_traits>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

// Weights below 1e-308 are lost to a double; next to pivots above this they change no result above 1e-200.
constexpr double smallest_pivot = 1e-100;

bool large_enough(double x) { return x >= smallest_pivot; }
bool large_enough(const Wide& x) { return !x.is_zero(); }

// What is left in the graph: the tokens [begin, end) and the root, in row `root`.
struct Left {
    int begin, end, root;
    bool single_root;
};

// d_k, and t_k (indexed like rows); if d_k is too small, t is not set.
template <class Number>
ARBORA_INLINE Number find_steps(const Number* w, std::size_t ld, int k, Left left, Number* t) {
    const Number* column = w + k;
    Number pivot = left.single_root ? Number(0) : column[left.root * ld];
    for (int i = left.begin; i < left.end; ++i) pivot += t[i] = column[i * ld];
    if (!large_enough(pivot)) return pivot;
    const Number inverse = Number(1) / pivot;
    for (int i = left.begin; i < left.end; ++i) t[i] = t[i] * inverse;
    t[left.root] = column[left.root * ld] * inverse;
    return pivot;
}

// Takes out token k: w_ij += t_ki w_kj. Returns d_k.
Wide take_out(Wide* w, std::size_t ld, int k, Left left, Wide* t) {
    const Wide pivot = find_steps(w, ld, k, left, t);
    if (pivot.is_zero()) return pivot;
    const Wide* from = w + k * ld;
    auto pass_on = [&](int i) {
        for (int j = left.begin; j < left.end; ++j) w[i * ld + j] += t[i] * from[j];
    };
    for (int i = left.begin; i < left.end; ++i) pass_on(i);
    pass_on(left.root);
    return pivot;
}

// q_kj = t_k0 + sum_i t_ki q_ij for the columns [first, last).
void put_back(const Wide* t, Wide* q, std::size_t ld, int k, Left left, int first, int last) {
    for (int j = first; j < last; ++j) {
        Wide sum = t[left.root];
        for (int i = left.begin; i < left.end; ++i) sum += t[i] * q[i * ld + j];
        q[k * ld + j] = sum;
    }
}

// The same for doubles. Rows are worked on in blocks of four vectors that stay in registers, the last of which may
// run over into columns that are out of the graph already, or into the padding.
template <int vectors>
ARBORA_INLINE void pass_on_block(double* w, std::size_t ld, const double* from, int column, Left left,
                                 const double* t) {
    Lanes source[vectors];
    for (int v = 0; v < vectors; ++v) source[v] = load(from + column + v * lane_count);
    auto pass_on = [&](int i) {
        double* row = w + i * ld + column;
        const Lanes step = all_lanes(t[i]);
        for (int v = 0; v < vectors; ++v) {
            double* place = row + v * lane_count;
            store(place, load(place) + step * source[v]);
        }
    };
    for (int i = left.begin; i < left.end; ++i) pass_on(i);
    pass_on(left.root);
}

template <int vectors>
ARBORA_INLINE void put_back_block(const double* t, double* q, std::size_t ld, int k, int column, int last, Left left) {
    Lanes sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = all_lanes(t[left.root]);
    for (int i = left.begin; i < left.end; ++i) {
        const double* row = q + i * ld + column;
        const Lanes step = all_lanes(t[i]);
        for (int v = 0; v < vectors; ++v) sum[v] += step * load(row + v * lane_count);
    }
    double* row = q + k * ld + column;
    const int whole = vectors * lane_count <= last - column ? vectors : vectors - 1;
    for (int v = 0; v < whole; ++v) store(row + v * lane_count, sum[v]);
    if (whole < vectors)
        for (int l = 0; column + whole * lane_count + l < last; ++l) row[whole * lane_count + l] = sum[whole][l];
}

// body.run<vectors>(column) over the columns [begin, end), four vectors at a time and then what is left.
template <class Body>
ARBORA_INLINE void for_blocks(int begin, int end, Body body) {
    int column = begin;
    for (; column + 3 * lane_count < end; column += 4 * lane_count) body(column, std::integral_constant<int, 4>());
    if (column + 2 * lane_count < end)
        body(column, std::integral_constant<int, 3>());
    else if (column + lane_count < end)
        body(column, std::integral_constant<int, 2>());
    else if (column < end)
        body(column, std::integral_constant<int, 1>());
}

ARBORA_VECTORISED double take_out(double* w, std::size_t ld, int k, Left left, double* t) {
    const double pivot = find_steps(w, ld, k, left, t);
    if (!large_enough(pivot)) return pivot;
    for_blocks(left.begin, left.end, [=](int column, auto vectors) {
        pass_on_block<decltype(vectors)::value>(w, ld, w + k * ld, column, left, t);
    });
    return pivot;
}

ARBORA_VECTORISED void put_back(const double* t, double* q, std::size_t ld, int k, Left left, int first, int last) {
    for_blocks(first, last, [=](int column, auto vectors) {
        put_back_block<decltype(vectors)::value>(t, q, ld, k, column, last, left);
    });
}

}  // namespace

template <class Number>
bool Elimination<Number>::factors(Number* w, int m, std::vector<Number>& result) {
    ld_ = row_length(m);
    arena_.resize(ld_);
    result.clear();
    for (int k = 0; k + 1 < m; ++k) {
        result.push_back(take_out(w, ld_, k, Left{k + 1, m, m, single_root_}, arena_.data()));
        if (!large_enough(result.back())) return false;
    }
    result.push_back(w[m * ld_ + (m - 1)]);
    return large_enough(result.back());
}

template <class Number>
bool Elimination<Number>::solve(Number* w, int m, Number* q, Number* g, std::vector<Number>& result) {
    ld_ = row_length(m);
    result.clear();
    // For every level of halving a copy of the graph, with one row more for the root, and the steps t.
    arena_.resize(ld_ * (4 * static_cast<std::size_t>(m) + 80));
    return halve(w, m, q, g, arena_.data(), &result);
}

// `factors` is given along one chain of halves only: the one that takes out the first half every time.
template <class Number>
bool Elimination<Number>::halve(Number* w, int m, Number* q, Number* g, Number* arena,
                                std::vector<Number>* factors) {
    const std::size_t ld = ld_;
    if (m == 1) {
        const Number last = w[ld];
        if (factors) factors->push_back(last);
        q[0] = Number(0);
        g[0] = Number(1) / last;
        return large_enough(last);
    }
    if (m == 2) return solve_two(w, q, g, factors);
    const int half = m / 2;
    Number* copy = arena;
    Number* steps = copy + (m + 1) * ld;  // t_k in row k
    Number* rest = steps + m * ld;

    // Without the first half; the second half and the root follow one another in the copy.
    std::copy(w, w + m * ld + m, copy);
    for (int k = 0; k < half; ++k) {
        const Number pivot = take_out(copy, ld, k, Left{k + 1, m, m, single_root_}, steps + k * ld);
        if (!large_enough(pivot)) return false;
        if (factors) factors->push_back(pivot);
    }
    const std::size_t corner = half * ld + half;
    if (!halve(copy + corner, m - half, q + corner, g + half, rest, factors)) return false;
    for (int k = half - 1; k >= 0; --k)
        put_back(steps + k * ld, q, ld, k, Left{k + 1, m, m, single_root_}, half, m);

    // Without the second half; the root's row moves up to follow the first half.
    for (int k = m - 1; k >= half; --k)
        if (!large_enough(take_out(w, ld, k, Left{0, k, m, single_root_}, steps + k * ld))) return false;
    std::copy(w + m * ld, w + m * ld + half, w + half * ld);
    if (!halve(w, half, q, g, rest, nullptr)) return false;
    for (int k = half; k < m; ++k) put_back(steps + k * ld, q, ld, k, Left{0, k, m, single_root_}, 0, half);
    return true;
}

// The two halves written out, which spares the recursion its last two levels.
template <class Number>
bool Elimination<Number>::solve_two(const Number* w, Number* q, Number* g, std::vector<Number>* factors) {
    const std::size_t ld = ld_;
    const Number* root = w + 2 * ld;
    q[0] = q[ld + 1] = Number(0);
    for (int out = 0; out < 2; ++out) {
        const int last = 1 - out;
        const Number step = w[last * ld + out];
        const Number pivot = single_root_ ? step : step + root[out];
        if (!large_enough(pivot)) return false;
        const Number escape = root[out] / pivot;
        const Number final = root[last] + escape * w[out * ld + last];
        if (!large_enough(final)) return false;
        q[out * ld + last] = escape;
        g[last] = Number(1) / final;
        if (factors && out == 0) factors->insert(factors->end(), {pivot, final});
    }
    return true;
}

template class Elimination<double>;
template class Elimination<Wide>;

}  // namespace arbora
