#pragma once
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "charts/bigrams.hpp"
#include "factors/polytope.hpp"
#include "factors/running_sums.hpp"
#include "support/arena.hpp"
#include "support/exponential.hpp"

namespace arbora {

// The modifiers of a head on one side are a path whose steps, bigrams, have scores (Smith & Eisner 2008, CHILDSEQ; Koo et
// al. 2010, section 3). charts/bigrams.hpp says how they are numbered.

// What is said from outside about the modifiers of one side.
struct PathInputs {
    PathInputs(const double* given, int modifiers, Arena& arena)
        : modifiers(modifiers), in(arena.take<double>(modifiers + 2)), first(arena.take<int>(modifiers + 2)) {
        in[0] = in[modifiers + 1] = 0;
        int last_certain = 0;
        for (int to = 1; to <= modifiers + 1; ++to) {
            first[to] = last_certain;
            if (to > modifiers) break;
            const bool is_certain = given[to - 1] == INFINITY;
            in[to] = is_certain ? 0 : given[to - 1];
            if (is_certain) last_certain = to;
        }
    }
    bool is_certain(int modifier) const { return first[modifier + 1] == modifier; }

    int modifiers;
    double* in;  // of each position; 0 where the modifier is certain
    int* first;  // from where, at the earliest, a step to a position may come: no step skips what is certain
};

// The best path's score. `previous` tells for each position that is reached which one comes before.
inline double best_path(const PathInputs& inputs, const double* scores, int* previous, Arena& arena) {
    const Arena::Frame frame(arena);
    const int end = inputs.modifiers + 1;
    double* best = arena.take<double>(end + 1);
    best[0] = 0;
    // best[to] = in[to] + max over from < to of best[from] + score(from, to)
    for (int to = 1; to <= end; ++to, scores += to - 1) {
        double highest = -INFINITY;
        int chosen = inputs.first[to];
        for (int from = inputs.first[to]; from < to; ++from) {
            const double value = best[from] + scores[from];
            chosen = value > highest ? from : chosen;
            highest = value > highest ? value : highest;
        }
        best[to] = highest + inputs.in[to];
        previous[to] = chosen;
    }
    return best[end];
}

// Sums over all paths (or maxima), by a pass forward and one backward, O(p^2).
template <class Running>
class PathSums {
public:
    PathSums(const PathInputs& inputs, const double* scores, Arena& arena)
        : inputs_(inputs),
          scores_(scores),
          before_(arena.take<double>(inputs.modifiers + 2)),
          after_(arena.take<double>(inputs.modifiers + 2)),
          with_(arena.take<double>(inputs.modifiers + 1)),
          without_(arena.take<double>(inputs.modifiers + 1)) {
        run_forward();
        run_backward(arena);
    }

    double total() const { return before_[inputs_.modifiers + 1]; }
    // The sums over paths with and without each modifier, counted from 0. They add up to the total, and both are exact
    // also where one is nothing beside the other.
    const double* with() const { return with_; }
    const double* without() const { return without_; }

    // exp(shift) times the sum over paths with a bigram, for every bigram.
    void add_bigrams(double shift, double* result) const {
        for (int to = 1; to <= inputs_.modifiers + 1; ++to)
            for (int from = inputs_.first[to]; from < to; ++from)
                result[bigram(from, to)] += exp_bounded(before_[from] + scores_[bigram(from, to)] + after_[to] + shift);
    }

private:
    // before[to] = in[to] + sum over from < to of before[from] + score(from, to)
    void run_forward() {
        before_[0] = 0;
        for (int to = 1; to <= inputs_.modifiers + 1; ++to) {
            const int first = inputs_.first[to];
            before_[to] =
                inputs_.in[to] + Running::Semiring::dot(before_ + first, scores_ + bigram(first, to), to - first);
        }
    }

    // Going down, sum `from` gathers score(from, to) + after[to], where after[to] = in[to] + sum `to` when it is whole.
    // While it has only steps beyond a modifier, it serves the paths without it: those that skip it somewhere.
    void run_backward(Arena& arena) {
        const Arena::Frame frame(arena);
        Running onward(inputs_.modifiers + 1, arena);
        after_[inputs_.modifiers + 1] = 0;
        for (int to = inputs_.modifiers + 1; to > 0; --to) {
            const int modifier = to - 1;
            onward.add(scores_ + bigram(0, to), after_[to], inputs_.first[to], to);
            if (modifier == 0) break;
            const double rest = onward.value(modifier);
            after_[modifier] = inputs_.in[modifier] + rest;
            with_[modifier - 1] = before_[modifier] + rest;
            without_[modifier - 1] = inputs_.is_certain(modifier) ? -INFINITY : onward.dot(before_, modifier);
        }
    }

    const PathInputs& inputs_;
    const double* scores_;
    double *before_, *after_, *with_, *without_;
};

// Calls each(from, to) for the bigrams of the path whose modifiers are these ports, the first port of the side being
// `begin`.
template <class Each>
void for_bigrams(std::span<const int> active, int begin, int modifiers, Each each) {
    int from = 0;
    for (int port : active) {
        each(from, port - begin + 1);
        from = port - begin + 1;
    }
    each(from, modifiers + 1);
}

inline double path_score(std::span<const int> active, int begin, int modifiers, const double* scores) {
    double total = 0;
    for_bigrams(active, begin, modifiers, [&](int from, int to) { total += scores[bigram(from, to)]; });
    return total;
}

// The modifiers of a best path as ports, in ascending order.
inline void append_path(const int* previous, int begin, int modifiers, std::vector<int>& active) {
    const std::size_t before = active.size();
    for (int at = previous[modifiers + 1]; at > 0; at = previous[at]) active.push_back(begin + at - 1);
    for (std::size_t i = before, j = active.size(); i + 1 < j; ++i) std::swap(active[i], active[--j]);
}

// A flow from START to END: as much of it as `amount` (or one, without terms), a column for each bigram, as much into
// each modifier as out of it. Adds the columns into a modifier to `taken`, those of each modifier.
inline void add_path_rows(const double* scores, int modifiers, const Polytope::Term* amount, Polytope& rows,
                          std::vector<std::vector<Polytope::Term>>& taken) {
    std::vector<std::vector<Polytope::Term>> flow(modifiers + 1);
    for (int to = 1; to <= modifiers + 1; ++to)
        for (int from = 0; from < to; ++from) {
            const int column = rows.new_column(scores[bigram(from, to)]);
            flow[from].push_back({column, 1});
            if (to > modifiers) continue;
            flow[to].push_back({column, -1});
            taken[to - 1].push_back({column, 1});
        }
    if (amount) flow[0].push_back(*amount);
    for (int position = 0; position <= modifiers; ++position) {
        const double out = position == 0 && !amount ? 1 : 0;
        rows.add_row(out, out, flow[position]);
    }
}

// A modifier's port is what flows into it.
inline void add_port_rows(int begin, std::vector<std::vector<Polytope::Term>>& taken, Polytope& rows) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
        taken[i].push_back({begin + static_cast<int>(i), -1});
        rows.add_row(0, 0, taken[i]);
    }
}

}  // namespace arbora
