#include "trees/elimination.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"
#include "support/wide_lanes.hpp"
#include "trees/small_graphs.hpp"

namespace arbora {
namespace {

// What is left in the graph: the tokens [begin, end) and the root, in row `root`.
struct Left {
    int begin, end, root;
    bool single_root;
};

// ---- with any numbers, plainly ----

// Takes out token k: d_k is returned, t_k (indexed like rows) kept, and w_ij += t_ki w_kj. If d_k is too small,
// nothing but d_k is worked out.
template <class Number>
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
template <class Number>
bool take_out_two(const Number* from, Number* to, std::size_t ld, int k, int l, Left left, Number* t_k, Number* t_l,
                  Number* pivots) {
    const Left with_l{std::min(left.begin, l), std::max(left.end, l + 1), left.root, left.single_root};
    if (to != from) std::copy(from, from + left.root * ld + std::max(with_l.end, k + 1), to);
    pivots[0] = take_out(to, ld, k, with_l, t_k);
    if (pivots[0].is_zero()) return false;
    pivots[1] = take_out(to, ld, l, left, t_l);
    return !pivots[1].is_zero();
}

// q_kj = t_k0 + sum_i t_ki q_ij for the columns [first, last).
template <class Number>
void put_back(const Number* t, Number* q, std::size_t ld, int k, Left left, int first, int last) {
    for (int j = first; j < last; ++j) {
        Number sum = t[left.root];
        for (int i = left.begin; i < left.end; ++i) sum += t[i] * q[i * ld + j];
        q[k * ld + j] = sum;
    }
}

// ---- with doubles and wide numbers, in vectors ----
// Rows are worked on in blocks of vectors that stay in registers, the last of which may run over into columns that
// are out of the graph already, or into the padding.

// Numbers that come in vectors, and how many vectors of two rows the registers hold.
template <class Number>
struct Vectors;
template <>
struct Vectors<double> {
    using Type = Lanes;
    static constexpr int most = 8;
};
template <>
struct Vectors<Wide> {
    using Type = WideLanes;
    static constexpr int most = 1;
};
template <class Number>
concept Vectored = requires { typename Vectors<Number>::Type; };
template <class Number>
using VectorOf = typename Vectors<Number>::Type;

// body(column, vectors) over the columns [begin, end), `most` vectors at a time and then what is left.
template <int most, class Body>
ARBORA_INLINE void for_blocks(int begin, int end, Body body) {
    int column = begin;
    for (; column + (most - 1) * lane_count < end; column += most * lane_count)
        body(column, std::integral_constant<int, most>());
    // The same for fewer and fewer; unrolled by the compiler.
    [&]<int... fewer>(std::integer_sequence<int, fewer...>) ARBORA_INLINED {
        const int rest = (end - column + lane_count - 1) / lane_count;
        ((rest == most - 1 - fewer ? body(column, std::integral_constant<int, most - 1 - fewer>()) : void()), ...);
    }(std::make_integer_sequence<int, most - 1>());
}

// Four entries of a column.
ARBORA_INLINE Lanes four_below(const double* cell, std::size_t ld) {
    return Lanes{cell[0], cell[ld], cell[2 * ld], cell[3 * ld]};
}
ARBORA_INLINE WideLanes four_below(const Wide* cell, std::size_t ld) { return WideLanes(cell, ld); }

// What can be stored.
ARBORA_INLINE Lanes normal(Lanes x) { return x; }
ARBORA_INLINE WideLanes normal(const WideLanes& x) { return WideLanes::normalised(x.mantissas, x.exponents); }

// to + a from_a + b from_b.
ARBORA_INLINE Lanes pass_on_two(Lanes to, Lanes a, Lanes from_a, Lanes b, Lanes from_b) {
    return to + a * from_a + b * from_b;
}
ARBORA_INLINE WideLanes pass_on_two(const WideLanes& to, const WideLanes& a, const WideLanes& from_a,
                                    const WideLanes& b, const WideLanes& from_b) {
    return WideLanes::sum(to, a * from_a, b * from_b);
}

// d_k and t_k.
template <Vectored Number>
ARBORA_INLINE Number find_steps(const Number* w, std::size_t ld, int k, Left left, Number* t) {
    const Number* column = w + k;
    Number pivot = left.single_root ? Number{} : column[left.root * ld];
    for (int i = left.begin; i < left.end; ++i) pivot += column[i * ld];
    if (!large_enough(pivot)) return pivot;
    const Number inverse = Number(1) / pivot;
    for (int i = left.begin; i < left.end; ++i) t[i] = column[i * ld] * inverse;
    t[left.root] = column[left.root * ld] * inverse;
    return pivot;
}

// d and t of two tokens, k taken out first. Without k, l's column is c_l + t_k w_kl, so its sum is known from those of
// both columns: they are read once, and nothing waits for anything but the two divisions.
template <Vectored Number>
ARBORA_INLINE bool find_two_steps(const Number* w, std::size_t ld, int k, int l, Left left, Number* t_k, Number* t_l,
                                  Number* pivots) {
    using Vector = VectorOf<Number>;
    const Number *column_k = w + k, *column_l = w + l;
    const int whole = left.begin + (left.end - left.begin) / lane_count * lane_count;
    Number sum_k = left.single_root ? Number{} : column_k[left.root * ld];
    Number sum_l = left.single_root ? Number{} : column_l[left.root * ld];
    Vector sums_k = all_lanes(Number{}), sums_l = sums_k;
    for (int i = left.begin; i < whole; i += lane_count) {
        const Vector four_k = four_below(column_k + i * ld, ld), four_l = four_below(column_l + i * ld, ld);
        sums_k = sums_k + four_k;
        sums_l = sums_l + four_l;
        store(t_k + i, four_k);
        store(t_l + i, four_l);
    }
    for (int i = whole; i < left.end; ++i) {
        sum_k += t_k[i] = column_k[i * ld];
        sum_l += t_l[i] = column_l[i * ld];
    }
    sum_k += sum_of_lanes(sums_k);
    sum_l += sum_of_lanes(sums_l);
    const Number w_kl = column_l[k * ld], w_lk = column_k[l * ld];
    pivots[0] = sum_k + w_lk;
    if (!large_enough(pivots[0])) return false;
    const Number inverse_k = Number(1) / pivots[0];
    pivots[1] = sum_l + inverse_k * w_kl * sum_k;
    if (!large_enough(pivots[1])) return false;
    const Number inverse_l = Number(1) / pivots[1];
    const Vector all_k = all_lanes(inverse_k), all_l = all_lanes(inverse_l), all_kl = all_lanes(w_kl);
    for (int i = left.begin; i < whole; i += lane_count) {
        const Vector steps = normal(load(t_k + i) * all_k);
        store(t_k + i, steps);
        store(t_l + i, normal((load(t_l + i) + steps * all_kl) * all_l));
    }
    auto finish = [=](int i, Number c_k, Number c_l) ARBORA_INLINED {
        t_k[i] = c_k * inverse_k;
        t_l[i] = (c_l + t_k[i] * w_kl) * inverse_l;
    };
    for (int i = whole; i < left.end; ++i) finish(i, t_k[i], t_l[i]);
    finish(left.root, column_k[left.root * ld], column_l[left.root * ld]);
    t_k[l] = w_lk * inverse_k;
    return true;
}

// to_ij = from_ij + t_ki row_k[j] + t_li row_l[j] for a block of columns.
template <int vectors, Vectored Number>
ARBORA_INLINE void pass_on(const Number* from, Number* to, std::size_t ld, const Number* row_k, const Number* row_l,
                           int column, Left left, const Number* t_k, const Number* t_l) {
    using Vector = VectorOf<Number>;
    Vector from_k[vectors], from_l[vectors];
    for (int v = 0; v < vectors; ++v) {
        from_k[v] = load(row_k + column + v * lane_count);
        from_l[v] = load(row_l + column + v * lane_count);
    }
    std::size_t row = left.begin * ld + column;
    for (int i = left.begin; i <= left.end; ++i, row += ld) {
        const int source = i == left.end ? left.root : i;
        if (i == left.end) row = left.root * ld + column;
        const Vector step_k = all_lanes(t_k[source]), step_l = all_lanes(t_l[source]);
        for (int v = 0; v < vectors; ++v)
            store(to + row + v * lane_count,
                  pass_on_two(load(from + row + v * lane_count), step_k, from_k[v], step_l, from_l[v]));
    }
}

// Two at once: half the loads and stores, and half the overhead, which is what counts at n = 25.
template <Vectored Number>
ARBORA_INLINE bool take_out_two(const Number* from, Number* to, std::size_t ld, int k, int l, Left left, Number* t_k,
                                Number* t_l, Number* pivots) {
    if (!find_two_steps(from, ld, k, l, left, t_k, t_l, pivots)) return false;
    const Number* row_k = from + k * ld;
    Number* row_l = to + l * ld;
    const VectorOf<Number> step = all_lanes(t_k[l]);
    for_blocks<Vectors<Number>::most>(left.begin, left.end, [=](int column, auto vectors) ARBORA_INLINED {
        constexpr int count = decltype(vectors)::value;
        for (int place = column; place < column + count * lane_count; place += lane_count)
            store(row_l + place, load(from + l * ld + place) + step * load(row_k + place));
        pass_on<count>(from, to, ld, row_k, row_l, column, left, t_k, t_l);
    });
    return true;
}

template <Vectored Number>
ARBORA_INLINE Number take_out(Number* w, std::size_t ld, int k, Left left, Number* t) {
    const Number pivot = find_steps(w, ld, k, left, t);
    if (!large_enough(pivot)) return pivot;
    const Number* from = w + k * ld;
    auto row = [=](int i, Number step) ARBORA_INLINED {
        const VectorOf<Number> steps = all_lanes(step);
        for (int j = left.begin; j < left.end; j += lane_count)
            store(w + i * ld + j, load(w + i * ld + j) + steps * load(from + j));
    };
    for (int i = left.begin; i < left.end; ++i) row(i, t[i]);
    row(left.root, t[left.root]);
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

ARBORA_INLINE void put_back(const double* t, double* q, std::size_t ld, int k, Left left, int first, int last) {
    for_blocks<4>(first, last, [=](int column, auto vectors) ARBORA_INLINED {
        put_back_block<decltype(vectors)::value>(t, q, ld, k, column, last, left);
    });
}

// A column's terms have one exponent, the largest, and are added up as multiples of it.
ARBORA_INLINE void put_back(const Wide* t, Wide* q, std::size_t ld, int k, Left left, int first, int last) {
    for (int j = first; j < last; j += lane_count) {
        const WideLanes alone(t[left.root]);
        Lanes top = alone.exponents;
        for (int i = left.begin; i < left.end; ++i)
            top = larger((all_lanes(t[i]) * load(q + i * ld + j)).exponents, top);
        Lanes sum = alone.below(top);
        for (int i = left.begin; i < left.end; ++i) sum += (all_lanes(t[i]) * load(q + i * ld + j)).below(top);
        Wide four[lane_count];
        store(four, WideLanes::normalised(sum, top));
        std::copy(four, four + std::min(lane_count, last - j), q + k * ld + j);
    }
}

// ---- whole phases, with all numbers ----

// A graph of m tokens and what is done to it: the tokens taken out of `from`, the rest left in `to`, the steps of
// token k kept in row k of `steps` (or all in row 0), and the pivots if they are asked for.
template <class Number>
struct Phase {
    const Number* from;
    Number* to;
    std::size_t ld;
    int m;
    bool single_root;
    Number* steps;
    std::size_t steps_length;
    Number* pivots;  // may be null
};

// Takes out the tokens [0, count), two by two. One token alone can only be taken out in place.
template <class Number>
ARBORA_INLINE bool take_out_first_of(Phase<Number> phase, int count) {
    const int m = phase.m;
    Number unwanted[2];
    for (int k = 0; k < count; phase.from = phase.to) {
        Number* pivots = phase.pivots ? phase.pivots + k : unwanted;
        Number *t_k = phase.steps + k * phase.steps_length, *t_l = t_k + phase.ld;
        if (k + 1 < count) {
            const Left left{k + 2, m, m, phase.single_root};
            if (!take_out_two(phase.from, phase.to, phase.ld, k, k + 1, left, t_k, t_l, pivots)) return false;
            k += 2;
        } else {
            pivots[0] = take_out(phase.to, phase.ld, k, Left{k + 1, m, m, phase.single_root}, t_k);
            if (!large_enough(pivots[0])) return false;
            k += 1;
        }
    }
    return true;
}

// Takes out the tokens [half, m), at least two, from the last on.
template <class Number>
ARBORA_INLINE bool take_out_last_of(Phase<Number> phase, int half) {
    Number pivots[2];
    int k = phase.m - 1;
    for (; k > half; k -= 2, phase.from = phase.to) {
        Number *t_k = phase.steps + k * phase.steps_length, *t_l = t_k - phase.ld;
        const Left left{0, k - 1, phase.m, phase.single_root};
        if (!take_out_two(phase.from, phase.to, phase.ld, k, k - 1, left, t_k, t_l, pivots)) return false;
    }
    const Left left{0, k, phase.m, phase.single_root};
    return k < half || large_enough(take_out(phase.to, phase.ld, k, left, phase.steps + k * phase.steps_length));
}

// q of the first half from that of the second, and the reverse.
template <class Number>
ARBORA_INLINE void put_back_first_of(const Number* steps, Number* q, std::size_t ld, int m, int half) {
    for (int k = half - 1; k >= 0; --k) put_back(steps + k * ld, q, ld, k, Left{k + 1, m, m, false}, half, m);
}
template <class Number>
ARBORA_INLINE void put_back_last_of(const Number* steps, Number* q, std::size_t ld, int m, int half) {
    for (int k = half; k < m; ++k) put_back(steps + k * ld, q, ld, k, Left{0, k, m, false}, 0, half);
}

// One call a phase, so that choosing the machine's instructions costs little.
ARBORA_VECTORISED bool take_out_first(Phase<double> phase, int count) { return take_out_first_of(phase, count); }
ARBORA_VECTORISED bool take_out_last(Phase<double> phase, int half) { return take_out_last_of(phase, half); }
ARBORA_VECTORISED void put_back_first(const double* steps, double* q, std::size_t ld, int m, int half) {
    put_back_first_of(steps, q, ld, m, half);
}
ARBORA_VECTORISED void put_back_last(const double* steps, double* q, std::size_t ld, int m, int half) {
    put_back_last_of(steps, q, ld, m, half);
}
ARBORA_VECTORISED bool take_out_first(Phase<Wide> phase, int count) { return take_out_first_of(phase, count); }
ARBORA_VECTORISED bool take_out_last(Phase<Wide> phase, int half) { return take_out_last_of(phase, half); }
ARBORA_VECTORISED void put_back_first(const Wide* steps, Wide* q, std::size_t ld, int m, int half) {
    put_back_first_of(steps, q, ld, m, half);
}
ARBORA_VECTORISED void put_back_last(const Wide* steps, Wide* q, std::size_t ld, int m, int half) {
    put_back_last_of(steps, q, ld, m, half);
}
template <class Number>
bool take_out_first(Phase<Number> phase, int count) {
    return take_out_first_of(phase, count);
}
template <class Number>
bool take_out_last(Phase<Number> phase, int half) {
    return take_out_last_of(phase, half);
}
template <class Number>
void put_back_first(const Number* steps, Number* q, std::size_t ld, int m, int half) {
    put_back_first_of(steps, q, ld, m, half);
}
template <class Number>
void put_back_last(const Number* steps, Number* q, std::size_t ld, int m, int half) {
    put_back_last_of(steps, q, ld, m, half);
}

// Elimination::halve for 16 to 32 tokens: halved twice, the four quarters are solved side by side.
bool quarter(const double* w, int m, std::size_t ld, bool single_root, double* q, double* g, double* arena,
             double* factors) {
    const int half = m / 2;
    const std::size_t room = (2 * m + 1) * ld;  // of a graph and its steps
    double *halves[2] = {arena, arena + room}, *quarters[4];
    for (int i = 0; i < 4; ++i) quarters[i] = arena + (2 + i) * room;
    auto steps = [=](double* rest, int tokens) { return rest + (tokens + 1) * ld; };
    auto take_half_out = [&](const double* from, double* rest, int tokens, bool first, double* pivots) {
        const int middle = tokens / 2;
        const Phase<double> phase{from, rest, ld, tokens, single_root, steps(rest, tokens), ld, pivots};
        if (first) return take_out_first(phase, middle);
        if (!take_out_last(phase, middle)) return false;
        std::copy(rest + tokens * ld, rest + tokens * ld + middle, rest + middle * ld);
        return true;
    };

    // Half 0 is without the tokens from the middle on, half 1 without those before it; likewise their quarters.
    const int sizes[2] = {half, m - half};
    SmallGraph graphs[4];
    for (int h : {1, 0}) {
        if (!take_half_out(w, halves[h], m, h == 1, h == 1 ? factors : nullptr)) return false;
        const double* graph = halves[h] + (h ? half * ld + half : 0);
        const int start = h ? half : 0, middle = sizes[h] / 2;
        double* half_factors = h && factors ? factors + half : nullptr;
        for (int p : {1, 0}) {
            double* rest = quarters[2 * h + p];
            if (!take_half_out(graph, rest, sizes[h], p == 1, p ? half_factors : nullptr)) return false;
            const int corner = p ? middle : 0, place = start + corner;
            graphs[2 * h + p] = {rest + corner * ld + corner, p ? sizes[h] - middle : middle, q + place * ld + place,
                                 g + place, p && half_factors ? half_factors + middle : nullptr};
        }
    }
    if (!solve_four(graphs, ld, single_root)) return false;
    for (int h : {1, 0}) {
        const int start = h ? half : 0, middle = sizes[h] / 2;
        double* corner = q + start * ld + start;
        put_back_first(steps(quarters[2 * h + 1], sizes[h]), corner, ld, sizes[h], middle);
        put_back_last(steps(quarters[2 * h], sizes[h]), corner, ld, sizes[h], middle);
    }
    put_back_first(steps(halves[1], m), q, ld, m, half);
    put_back_last(steps(halves[0], m), q, ld, m, half);
    return true;
}

}  // namespace

template <class Number>
bool Elimination<Number>::factors(Number* w, int m, std::vector<Number>& result) {
    ld_ = row_length(m);
    arena_.resize(2 * ld_);
    result.resize(m);
    if (!take_out_first(Phase<Number>{w, w, ld_, m, single_root_, arena_.data(), 0, result.data()}, m - 1)) return false;
    result.back() = w[m * ld_ + (m - 1)];
    return large_enough(result.back());
}

// For every level of halving a copy of the graph, with one row more for the root, and the steps t. (Quarters, of at most
// 32 tokens, take six of them.)
template <class Number>
std::size_t Elimination<Number>::scratch_length(int m) {
    return row_length(m) * (4 * static_cast<std::size_t>(m) + 80 + 6 * 65);
}

template <class Number>
bool Elimination<Number>::solve(const Number* w, int m, Number* q, Number* g, Number* factors, Number* scratch) {
    ld_ = row_length(m);
    return halve(w, m, q, g, scratch, factors);
}

template <class Number>
bool Elimination<Number>::solve(const Number* w, int m, Number* q, Number* g, std::vector<Number>& result) {
    result.resize(m);
    arena_.resize(scratch_length(m));
    return solve(w, m, q, g, result.data(), arena_.data());
}

// `factors` is given along one chain of halves only: the one that takes out the first half every time.
template <class Number>
bool Elimination<Number>::halve(const Number* w, int m, Number* q, Number* g, Number* arena, Number* factors) {
    const std::size_t ld = ld_;
    if (m == 1) {
        const Number last = w[ld];
        if (factors) factors[0] = last;
        q[0] = Number(0);
        g[0] = Number(1) / last;
        return large_enough(last);
    }
    if (m == 2) return solve_two(w, ld, single_root_, q, g, factors);
    if (m == 3) return solve_three(w, ld, single_root_, q, g, factors);
    if constexpr (std::is_same_v<Number, double>)
        if (m >= 16 && m <= 32) return quarter(w, m, ld, single_root_, q, g, arena, factors);
    const int half = m / 2;
    Number* rest = arena;                 // the graph without one half
    Number* steps = rest + (m + 1) * ld;  // t_k in row k
    Number* deeper = steps + m * ld;

    // Without the first half; the second half and the root follow one another.
    if (!take_out_first(Phase<Number>{w, rest, ld, m, single_root_, steps, ld, factors}, half)) return false;
    const std::size_t corner = half * ld + half;
    Number* other_factors = factors ? factors + half : nullptr;
    if (!halve(rest + corner, m - half, q + corner, g + half, deeper, other_factors)) return false;
    put_back_first(steps, q, ld, m, half);

    // Without the second half; the root's row moves up to follow the first half.
    if (!take_out_last(Phase<Number>{w, rest, ld, m, single_root_, steps, ld, nullptr}, half)) return false;
    std::copy(rest + m * ld, rest + m * ld + half, rest + half * ld);
    if (!halve(rest, half, q, g, deeper, nullptr)) return false;
    put_back_last(steps, q, ld, m, half);
    return true;
}

template class Elimination<double>;
template class Elimination<Wide>;
template class Elimination<Tropical>;

}  // namespace arbora
