#include "trees/elimination.hpp"

#include <algorithm>
#include <type_traits>

#include "support/interruption.hpp"
#include "support/vectorise.hpp"
#include "trees/elimination_steps.hpp"

namespace arbora {
namespace {

// ---- whole phases, with all numbers ----

// A graph of m tokens and what is done to it: the tokens taken out of `from`, the rest left in `to`, the steps of
// token k kept in row k of `steps` (or all in row 0), and the pivots if they are asked for.
template <class Number>
struct Phase {
    Cells<Number> from, to;
    std::size_t ld;
    int m;
    bool single_root;
    Cells<Number> steps;
    std::size_t steps_length;
    Number* pivots;  // may be null
};

// Small graphs are done before it is time to ask.
inline void heed_if_large(int m) {
    constexpr int large = 300;
    if (m > large) Interruption::heed();
}

// Takes out the tokens [0, count), two by two. One token alone can only be taken out in place.
template <class Number>
ARBORA_INLINE bool take_out_first_of(Phase<Number> phase, int count) {
    const int m = phase.m;
    Number unwanted[2];
    for (int k = 0; k < count; phase.from = phase.to) {
        heed_if_large(m);
        Number* pivots = phase.pivots ? phase.pivots + k : unwanted;
        const Cells<Number> t_k = phase.steps + k * phase.steps_length, t_l = t_k + phase.ld;
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
        heed_if_large(phase.m);
        const Cells<Number> t_k = phase.steps + k * phase.steps_length, t_l = phase.steps + (k - 1) * phase.ld;
        const Left left{0, k - 1, phase.m, phase.single_root};
        if (!take_out_two(phase.from, phase.to, phase.ld, k, k - 1, left, t_k, t_l, pivots)) return false;
    }
    const Left left{0, k, phase.m, phase.single_root};
    return k < half || large_enough(take_out(phase.to, phase.ld, k, left, phase.steps + k * phase.steps_length));
}

// q of the first half from that of the second, and the reverse.
template <class Cell>
ARBORA_INLINE void put_back_first_of(Cell steps, Cell q, std::size_t ld, int m, int half) {
    for (int k = half - 1; k >= 0; --k) {
        heed_if_large(m);
        put_back(steps + k * ld, q, ld, k, Left{k + 1, m, m, false}, half, m);
    }
}
template <class Cell>
ARBORA_INLINE void put_back_last_of(Cell steps, Cell q, std::size_t ld, int m, int half) {
    for (int k = half; k < m; ++k) {
        heed_if_large(m);
        put_back(steps + k * ld, q, ld, k, Left{0, k, m, false}, 0, half);
    }
}

// One call a phase, so that choosing the machine's instructions costs little.
ARBORA_VECTORISED bool take_out_first(Phase<double> phase, int count) { return take_out_first_of(phase, count); }
ARBORA_VECTORISED bool take_out_last(Phase<double> phase, int half) { return take_out_last_of(phase, half); }
ARBORA_VECTORISED void put_back_first(double* steps, double* q, std::size_t ld, int m, int half) {
    put_back_first_of(steps, q, ld, m, half);
}
ARBORA_VECTORISED void put_back_last(double* steps, double* q, std::size_t ld, int m, int half) {
    put_back_last_of(steps, q, ld, m, half);
}
ARBORA_VECTORISED bool take_out_first(Phase<Wide> phase, int count) { return take_out_first_of(phase, count); }
ARBORA_VECTORISED bool take_out_last(Phase<Wide> phase, int half) { return take_out_last_of(phase, half); }
ARBORA_VECTORISED void put_back_first(WideCells steps, WideCells q, std::size_t ld, int m, int half) {
    put_back_first_of(steps, q, ld, m, half);
}
ARBORA_VECTORISED void put_back_last(WideCells steps, WideCells q, std::size_t ld, int m, int half) {
    put_back_last_of(steps, q, ld, m, half);
}
bool take_out_first(Phase<Tropical> phase, int count) { return take_out_first_of(phase, count); }
bool take_out_last(Phase<Tropical> phase, int half) { return take_out_last_of(phase, half); }
void put_back_first(Tropical* steps, Tropical* q, std::size_t ld, int m, int half) {
    put_back_first_of(steps, q, ld, m, half);
}
void put_back_last(Tropical* steps, Tropical* q, std::size_t ld, int m, int half) {
    put_back_last_of(steps, q, ld, m, half);
}

// Elimination::halve for 16 to 32 tokens: halved twice, the four quarters are solved side by side.
template <class Number>
bool quarter(Cells<Number> w, int m, std::size_t ld, bool single_root, Cells<Number> q, Cells<Number> g,
             Cells<Number> arena, Number* factors) {
    const int half = m / 2;
    const std::size_t room = (2 * m + 1) * ld;  // of a graph and its steps
    const Cells<Number> halves[2] = {arena, arena + room};
    Cells<Number> quarters[4];
    for (int i = 0; i < 4; ++i) quarters[i] = arena + (2 + i) * room;
    auto steps = [=](Cells<Number> rest, int tokens) { return rest + (tokens + 1) * ld; };
    auto take_half_out = [&](Cells<Number> from, Cells<Number> rest, int tokens, bool first, Number* pivots) {
        const int middle = tokens / 2;
        const Phase<Number> phase{from, rest, ld, tokens, single_root, steps(rest, tokens), ld, pivots};
        if (first) return take_out_first(phase, middle);
        if (!take_out_last(phase, middle)) return false;
        copy_cells(rest + tokens * ld, middle, rest + middle * ld);
        return true;
    };

    // Half 0 is without the tokens from the middle on, half 1 without those before it; likewise their quarters.
    const int sizes[2] = {half, m - half};
    SmallGraph<Number> graphs[4];
    for (int h : {1, 0}) {
        if (!take_half_out(w, halves[h], m, h == 1, h == 1 ? factors : nullptr)) return false;
        const Cells<Number> graph = halves[h] + (h ? half * ld + half : 0);
        const int start = h ? half : 0, middle = sizes[h] / 2;
        Number* half_factors = h && factors ? factors + half : nullptr;
        for (int p : {1, 0}) {
            const Cells<Number> rest = quarters[2 * h + p];
            if (!take_half_out(graph, rest, sizes[h], p == 1, p ? half_factors : nullptr)) return false;
            const int corner = p ? middle : 0, place = start + corner;
            graphs[2 * h + p] = {rest + (corner * ld + corner), p ? sizes[h] - middle : middle,
                                 q + (place * ld + place), g + place,
                                 p && half_factors ? half_factors + middle : nullptr};
        }
    }
    if (!solve_four(graphs, ld, single_root)) return false;
    for (int h : {1, 0}) {
        const int start = h ? half : 0, middle = sizes[h] / 2;
        const Cells<Number> corner = q + (start * ld + start);
        put_back_first(steps(quarters[2 * h + 1], sizes[h]), corner, ld, sizes[h], middle);
        put_back_last(steps(quarters[2 * h], sizes[h]), corner, ld, sizes[h], middle);
    }
    put_back_first(steps(halves[1], m), q, ld, m, half);
    put_back_last(steps(halves[0], m), q, ld, m, half);
    return true;
}

}  // namespace

template <class Number>
bool Elimination<Number>::factors(Cells<Number> w, int m, std::vector<Number>& result) {
    ld_ = row_length(m);
    arena_.resize(2 * ld_);
    result.resize(m);
    if (!take_out_first(Phase<Number>{w, w, ld_, m, single_root_, arena_.cells(), 0, result.data()}, m - 1))
        return false;
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
bool Elimination<Number>::solve(Cells<Number> w, int m, Cells<Number> q, Cells<Number> g, Number* factors,
                                Cells<Number> scratch) {
    ld_ = row_length(m);
    return halve(w, m, q, g, scratch, factors);
}

template <class Number>
bool Elimination<Number>::solve(Cells<Number> w, int m, Cells<Number> q, Cells<Number> g, std::vector<Number>& result) {
    result.resize(m);
    arena_.resize(scratch_length(m));
    return solve(w, m, q, g, result.data(), arena_.cells());
}

// `factors` is given along one chain of halves only: the one that takes out the first half every time.
template <class Number>
bool Elimination<Number>::halve(Cells<Number> w, int m, Cells<Number> q, Cells<Number> g, Cells<Number> arena,
                                Number* factors) {
    const std::size_t ld = ld_;
    if (m == 1) {
        const Number last = w[ld];
        if (factors) factors[0] = last;
        q[0] = Number(0);
        g[0] = Number(1) / last;
        return large_enough(last);
    }
    if (m == 2) return solve_two<Number>(w, ld, single_root_, q, g, factors);
    if (m == 3) return solve_three<Number>(w, ld, single_root_, q, g, factors);
    if constexpr (Vectored<Cells<Number>>)
        if (m >= 16 && m <= 32) return quarter<Number>(w, m, ld, single_root_, q, g, arena, factors);
    const int half = m / 2;
    const Cells<Number> rest = arena;                 // the graph without one half
    const Cells<Number> steps = rest + (m + 1) * ld;  // t_k in row k
    const Cells<Number> deeper = steps + m * ld;

    // Without the first half; the second half and the root follow one another.
    if (!take_out_first(Phase<Number>{w, rest, ld, m, single_root_, steps, ld, factors}, half)) return false;
    const std::size_t corner = half * ld + half;
    Number* other_factors = factors ? factors + half : nullptr;
    if (!halve(rest + corner, m - half, q + corner, g + half, deeper, other_factors)) return false;
    put_back_first(steps, q, ld, m, half);

    // Without the second half; the root's row moves up to follow the first half.
    if (!take_out_last(Phase<Number>{w, rest, ld, m, single_root_, steps, ld, nullptr}, half)) return false;
    copy_cells(rest + m * ld, half, rest + half * ld);
    if (!halve(rest, half, q, g, deeper, nullptr)) return false;
    put_back_last(steps, q, ld, m, half);
    return true;
}

template class Elimination<double>;
template class Elimination<Wide>;
template class Elimination<Tropical>;

}  // namespace arbora
