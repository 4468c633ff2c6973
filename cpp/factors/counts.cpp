#include "factors/counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "factors/log_odds.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/exponential.hpp"

namespace arbora {

namespace {

std::vector<std::size_t> begins_of(const Wiring& wiring, int width) {
    if (width < 1) throw std::invalid_argument("there must be a score at least for none");
    std::vector<std::size_t> begins;
    for (std::size_t factor = 0; factor <= wiring.factors(); ++factor) begins.push_back(factor * width);
    return begins;
}

// Sums (or maxima) over what is true, by how much of it there is; a count of K stands for all that are higher.
template <class Semiring>
class CountSums {
public:
    CountSums(const double* in, int inputs, const double* scores, int width, Arena& arena)
        : in_(in),
          inputs_(inputs),
          width_(width),
          before_(arena.take<double>(row(inputs + 1), Semiring::zero)),
          after_(arena.take<double>(row(inputs + 1))) {
        // before(0, 0) = 0, before(i + 1, c) = before(i, c) [i is false] + in(i) times before(i, c - 1) [i is true]
        before_[0] = 0;
        for (int i = 0; i < inputs; ++i) {
            const double* here = before_ + row(i);
            double* next = before_ + row(i + 1);
            for (int c = 0; c < width; ++c) {
                next[c] = Semiring::plus(next[c], here[c] + if_false(in[i]));
                double& one_more = next[std::min(c + 1, width - 1)];
                one_more = Semiring::plus(one_more, here[c] + if_true(in[i]));
            }
        }
        // after(n, c) = score(c), after(i, c) = after(i + 1, c) + in(i) times after(i + 1, c + 1)
        std::copy_n(scores, width, after_ + row(inputs));
        for (int i = inputs - 1; i >= 0; --i)
            for (int c = 0; c < width; ++c) after_[row(i) + c] = Semiring::plus(without(i, c), with(i, c));
    }

    double total() const { return after_[0]; }

    // The log-odds of an input.
    double odds(int i) const {
        double is_true = Semiring::zero, is_false = Semiring::zero;
        for (int c = 0; c < width_; ++c) {
            is_true = Semiring::plus(is_true, before_[row(i) + c] + with(i, c));
            is_false = Semiring::plus(is_false, before_[row(i) + c] + without(i, c));
        }
        return is_true - is_false;
    }

    // The sum over all ways to have a count.
    double of_count(int c) const { return before_[row(inputs_) + c] + after_[row(inputs_) + c]; }

private:
    std::size_t row(int i) const { return static_cast<std::size_t>(i) * width_; }
    // What can follow on a count before input i if that is true, or false.
    double with(int i, int c) const { return if_true(in_[i]) + after_[row(i + 1) + std::min(c + 1, width_ - 1)]; }
    double without(int i, int c) const { return if_false(in_[i]) + after_[row(i + 1) + c]; }

    const double* in_;
    int inputs_, width_;
    double *before_, *after_;  // a row of counts for the time before each input, and for the end
};

template <class Semiring>
double propagate_counts(const double* in, int inputs, const double* scores, int width, double* beliefs, double* parts,
                        Arena& arena) {
    const Arena::Frame frame(arena);
    const CountSums<Semiring> sums(in, inputs, scores, width, arena);
    const double total = sums.total();
    for (int i = 0; i < inputs; ++i) beliefs[i] = total == -INFINITY ? 0 : sums.odds(i);
    for (int c = 0; parts && c < width; ++c) parts[c] = total == -INFINITY ? 0 : exp_bounded(sums.of_count(c) - total);
    return total;
}

}  // namespace

Counts::Counts(Wiring wiring, int width, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), begins_of(wiring, width)), width_(width) {
    for (std::size_t input = 0; input < wiring.inputs(); ++input)
        if (wiring.is_category(input)) throw std::invalid_argument("what is counted must be binary variables");
    if (part_scores().size() != part_begin(size()))
        throw std::invalid_argument("there must be as many scores for each factor");
}

double Counts::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    return propagate_counts<LogSemiring>(in, wiring().port_count(factor), scores(factor), width_, beliefs, parts,
                                         arena);
}

double Counts::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return propagate_counts<MaxSemiring>(in, wiring().port_count(factor), scores(factor), width_, beliefs, nullptr,
                                         arena);
}

// Of so many inputs the best are those with the highest numbers.
double Counts::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int inputs = wiring().port_count(factor);
    int* order = arena.take<int>(inputs);
    std::iota(order, order + inputs, 0);
    std::sort(order, order + inputs, [in](int i, int j) { return in[i] != in[j] ? in[i] > in[j] : i < j; });
    double highest = -INFINITY, gain = 0;
    int chosen = 0;
    for (int count = 0; count <= inputs; ++count) {
        const bool leaves_certain = count < inputs && in[order[count]] == INFINITY;
        const double value = gain + scores(factor)[part_of(count)];
        if (!leaves_certain && value > highest) {
            highest = value;
            chosen = count;
        }
        if (count < inputs) gain += if_true(in[order[count]]);
    }
    found.active.assign(order, order + chosen);
    std::sort(found.active.begin(), found.active.end());
    found.inner = scores(factor)[part_of(chosen)];
    return highest;
}

// A convex combination of what has each count (Balas 1979): column y(c) for the count, and x(i, c) for what it has of
// input i. sum of y = 1, x(i, c) <= y(c), sum over i of x(i, c) = c y(c), or not less for the last; input i is the sum over
// c of x(i, c). For one count the rows are those of AtMostFactor, whose corners are whole.
void Counts::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int inputs = wiring().port_count(factor), last = width_ - 1;
    std::vector<std::vector<Polytope::Term>> shares(inputs);
    std::vector<Polytope::Term> counts;
    for (int c = 0; c <= last; ++c) {
        const int count = rows.new_column(scores(factor)[c]);
        counts.push_back({count, 1});
        if (c == 0 && last > 0) continue;  // nothing is true
        std::vector<Polytope::Term> all(1, {count, -c});
        for (int i = 0; i < inputs; ++i) {
            const int share = rows.new_column();
            rows.add_row(-Polytope::unbounded, 0, {{share, 1}, {count, -1}});
            all.push_back({share, 1});
            shares[i].push_back({share, 1});
        }
        rows.add_row(0, c == last ? Polytope::unbounded : 0, all);
    }
    rows.add_row(1, 1, counts);
    for (int i = 0; i < inputs; ++i) {
        shares[i].push_back({i, -1});
        rows.add_row(0, 0, shares[i]);
    }
}

double Counts::score(std::size_t factor, std::span<const int> active, Arena&) const {
    return scores(factor)[part_of(active.size())];
}

void Counts::add_parts(std::size_t, std::span<const int> active, double weight, double* parts, Arena&) const {
    parts[part_of(active.size())] += weight;
}

std::shared_ptr<const FactorGroup> Counts::scaled(double multiplier) const {
    return std::make_shared<Counts>(wiring(), width_, scaled_scores(multiplier));
}

}  // namespace arbora
