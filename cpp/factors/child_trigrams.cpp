#include "factors/child_trigrams.hpp"

#include <algorithm>
#include <stdexcept>

#include "factors/bigram_paths.hpp"
#include "factors/trigrams.hpp"

namespace arbora {

namespace {

std::vector<std::size_t> trigram_begins(const Wiring& wiring) {
    std::vector<std::size_t> begins{0};
    for (std::size_t factor = 0; factor < wiring.factors(); ++factor)
        begins.push_back(begins.back() + trigram_count(wiring.port_count(factor)));
    return begins;
}

// Sums over all paths (or maxima), by a pass forward and one backward over the steps of paths, which are bigrams.
template <class Running>
class StepSums {
    using Semiring = typename Running::Semiring;

public:
    StepSums(const PathInputs& inputs, const double* scores, Arena& arena)
        : inputs_(inputs),
          scores_(scores),
          end_(inputs.modifiers + 1),
          before_(arena.take<double>(bigram_count(inputs.modifiers), Semiring::zero)),
          after_(arena.take<double>(bigram_count(inputs.modifiers), Semiring::zero)) {
        run_forward();
        run_backward(arena);
        for (int from = inputs_.first[end_]; from < end_; ++from)
            total_ = Semiring::plus(total_, before_[bigram(from, end_)]);
    }

    double total() const { return total_; }

    // The sums over paths with a modifier and without it, counted from 0: of the steps to it, and of those that skip it.
    void split(double* with, double* without) const {
        std::fill_n(with, inputs_.modifiers, Semiring::zero);
        std::fill_n(without, inputs_.modifiers, Semiring::zero);
        for (int to = 1; to <= end_; ++to) {
            double until = Semiring::zero;  // over steps from before each modifier
            for (int from = inputs_.first[to]; from < to; ++from) {
                until = Semiring::plus(until, before_[bigram(from, to)] + after_[bigram(from, to)]);
                if (from + 1 < to) without[from] = Semiring::plus(without[from], until);
            }
            if (to < end_) with[to - 1] = until;
        }
    }

    // exp(shift) times the sum over paths with a trigram, for every trigram.
    void set_trigrams(double shift, double* result) const {
        for (int last = 2; last <= end_; ++last)
            for (int middle = 1; middle < last; ++middle) {
                const double rest = inputs_.in[last] + after_[bigram(middle, last)] + shift;
                const double *own = scores_ + trigram(0, middle, last), *until = before_ + bigram(0, middle);
                for (int first = 0; first < middle; ++first) *result++ = exp_bounded(until[first] + own[first] + rest);
            }
    }

private:
    // before(START, k) = in[k]
    // before(j, k) = in[k] + sum over i < j of before(i, j) + score(i, j, k)
    void run_forward() {
        for (int last = 1; last <= end_; ++last)
            for (int middle = inputs_.first[last]; middle < last; ++middle) {
                double sum = 0;
                if (middle > 0) {
                    const int first = inputs_.first[middle];
                    sum = Semiring::dot(before_ + bigram(first, middle), scores_ + trigram(first, middle, last),
                                        middle - first);
                }
                before_[bigram(middle, last)] = sum + inputs_.in[last];
            }
    }

    // after(j, END) = 0
    // after(i, j) = sum over k > j of score(i, j, k) + in[k] + after(j, k)
    void run_backward(Arena& arena) {
        for (int from = inputs_.first[end_]; from < end_; ++from) after_[bigram(from, end_)] = 0;
        for (int middle = end_ - 1; middle > 0; --middle) {
            const Arena::Frame frame(arena);
            Running onward(middle, arena);
            const int first = inputs_.first[middle];
            for (int last = middle + 1; last <= end_ && inputs_.first[last] <= middle; ++last)
                onward.add(scores_ + trigram(0, middle, last), inputs_.in[last] + after_[bigram(middle, last)], first,
                           middle);
            for (int from = first; from < middle; ++from) after_[bigram(from, middle)] = onward.value(from);
        }
    }

    const PathInputs& inputs_;
    const double* scores_;
    int end_;
    double *before_,
        *after_;  // of each step: of all that leads to its end, and of all that follows; -inf if it is barred
    double total_ = Semiring::zero;
};

template <class Running>
double propagate_steps(const double* scores, const double* in, int modifiers, double* beliefs, double* parts,
                       Arena& arena) {
    const Arena::Frame frame(arena);
    const PathInputs inputs(in, modifiers, arena);
    const StepSums<Running> sums(inputs, scores, arena);
    if (sums.total() == -INFINITY) {
        std::fill_n(beliefs, modifiers, 0.0);
        if (parts) std::fill_n(parts, trigram_count(modifiers), 0.0);
        return -INFINITY;
    }
    double* with = arena.take<double>(modifiers);
    double* without = arena.take<double>(modifiers);
    sums.split(with, without);
    for (int i = 0; i < modifiers; ++i) beliefs[i] = with[i] - without[i];
    if (parts) sums.set_trigrams(-sums.total(), parts);
    return sums.total();
}

double trigram_score(std::span<const int> active, int modifiers, const double* scores) {
    double total = 0;
    for_trigrams(active, modifiers, [&](int i, int j, int k) { total += scores[trigram(i, j, k)]; });
    return total;
}

// The best path's score; its modifiers as ports, in ascending order.
double best_steps(const PathInputs& inputs, const double* scores, std::vector<int>& active, Arena& arena) {
    const int end = inputs.modifiers + 1;
    double* best = arena.take<double>(bigram_count(inputs.modifiers), -INFINITY);
    int* previous = arena.take<int>(bigram_count(inputs.modifiers), 0);
    // best(START, k) = in[k], best(j, k) = in[k] + max over i < j of best(i, j) + score(i, j, k)
    for (int last = 1; last <= end; ++last)
        for (int middle = inputs.first[last]; middle < last; ++middle) {
            const double *until = best + bigram(0, middle), *own = scores + trigram(0, middle, last);
            double highest = middle ? -INFINITY : 0;
            int chosen = 0;
            for (int first = middle ? inputs.first[middle] : 0; first < middle; ++first) {
                const double value = until[first] + own[first];
                chosen = value > highest ? first : chosen;
                highest = value > highest ? value : highest;
            }
            best[bigram(middle, last)] = highest + inputs.in[last];
            previous[bigram(middle, last)] = chosen;
        }
    const double* endings = best + bigram(0, end);
    int at = static_cast<int>(std::max_element(endings, endings + end) - endings);
    const double value = endings[at];
    if (value == -INFINITY) return value;
    for (int next = end; at > 0;) {
        active.push_back(at - 1);
        const int before = previous[bigram(at, next)];
        next = at;
        at = before;
    }
    std::reverse(active.begin(), active.end());
    return value;
}

}  // namespace

ChildTrigrams::ChildTrigrams(Wiring wiring, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), trigram_begins(wiring)) {
    for (std::size_t input = 0; input < wiring.inputs(); ++input)
        if (wiring.is_category(input)) throw std::invalid_argument("modifiers must be binary variables");
    if (part_scores().size() != part_begin(size()))
        throw std::invalid_argument("there must be p (p + 1)(p + 2) / 6 scores for p modifiers");
}

double ChildTrigrams::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    return propagate_steps<RunningLogSums>(scores(factor), in, wiring().port_count(factor), beliefs, parts, arena);
}

double ChildTrigrams::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return propagate_steps<RunningMaxima>(scores(factor), in, wiring().port_count(factor), beliefs, nullptr, arena);
}

double ChildTrigrams::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int modifiers = wiring().port_count(factor);
    found.active.clear();
    const double value = best_steps(PathInputs(in, modifiers, arena), scores(factor), found.active, arena);
    found.inner = trigram_score(found.active, modifiers, scores(factor));
    return value;
}

// A flow of one through the steps of paths: a column for each first step, and for each trigram, which leads from a step to
// the next. What flows into a step flows out of it, unless it goes to END. A modifier's port is what its trigrams carry.
void ChildTrigrams::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int modifiers = wiring().port_count(factor), end = modifiers + 1;
    std::vector<Polytope::Term> begun;
    std::vector<std::vector<Polytope::Term>> flow(bigram_count(modifiers)), taken(modifiers);
    for (int to = 1; to <= end; ++to) {
        begun.push_back({rows.new_column(), 1});
        flow[bigram(0, to)].push_back(begun.back());
    }
    for (int last = 2; last <= end; ++last)
        for (int middle = 1; middle < last; ++middle)
            for (int first = 0; first < middle; ++first) {
                const int column = rows.new_column(scores(factor)[trigram(first, middle, last)]);
                flow[bigram(first, middle)].push_back({column, -1});
                flow[bigram(middle, last)].push_back({column, 1});
                taken[middle - 1].push_back({column, 1});
            }
    rows.add_row(1, 1, begun);
    for (int to = 1; to < end; ++to)
        for (int from = 0; from < to; ++from) rows.add_row(0, 0, flow[bigram(from, to)]);
    add_port_rows(0, taken, rows);
}

double ChildTrigrams::score(std::size_t factor, std::span<const int> active, Arena&) const {
    return trigram_score(active, wiring().port_count(factor), scores(factor));
}

void ChildTrigrams::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                              Arena&) const {
    for_trigrams(active, wiring().port_count(factor), [&](int i, int j, int k) { parts[trigram(i, j, k)] += weight; });
}

std::shared_ptr<const FactorGroup> ChildTrigrams::scaled(double multiplier) const {
    return std::make_shared<ChildTrigrams>(wiring(), scaled_scores(multiplier));
}

}  // namespace arbora
