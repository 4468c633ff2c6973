#include <algorithm>
#include <cmath>

#include "factors/logic.hpp"
#include "factors/simplex.hpp"
#include "support/logarithms.hpp"

namespace arbora {
namespace {

bool has_certain(const double* in, int count) { return std::find(in, in + count, INFINITY) != in + count; }

// The best that inputs give that are free, those that are certain for nothing.
double gain_of(double in) { return in == INFINITY ? 0 : std::max(in, 0.0); }

// L(S) = log(product over S of (1 + exp(in)) - 1), the weight of all ways in which an input of S is true; writes L of
// all but i for every i and returns that of all. O(n), nothing is subtracted.
double log_any_without(const double* in, int count, double* without) {
    double before = -INFINITY;
    for (int i = 0; i < count; ++i) {
        without[i] = before;
        before = log_any(before, in[i]);
    }
    double after = -INFINITY;
    for (int i = count - 1; i >= 0; --i) {
        without[i] = log_any(without[i], after);
        after = log_any(after, in[i]);
    }
    return before;
}

// The best true inputs, at least one: all that gain, or what loses least.
double best_any(const double* in, int count, std::vector<int>& active) {
    double score = 0;
    int highest = 0;
    for (int i = 0; i < count; ++i) {
        if (in[i] > in[highest]) highest = i;
        if (in[i] <= 0) continue;
        active.push_back(i);
        score += gain_of(in[i]);
    }
    if (!active.empty()) return score;
    if (count == 0 || in[highest] == -INFINITY) return -INFINITY;
    active.push_back(highest);
    return in[highest];
}

// The two highest and the sum of all gains.
struct Gains {
    Gains(const double* in, int count) {
        for (int i = 0; i < count; ++i) {
            sum += gain_of(in[i]);
            second = std::max(second, std::min(first, in[i]));
            first = std::max(first, in[i]);
        }
    }
    // The score of the best choice of at least one.
    double best() const { return sum + std::min(first, 0.0); }
    // What it costs that one must be true, if it is not this one.
    double cost_without(double in) const { return -std::min(in == first ? second : first, 0.0); }

    double first = -INFINITY, second = -INFINITY, sum = 0;
};

}  // namespace

// ---- at least one ----

// True: in + sum of the others' softplus; false: L of the others. The sum is softplus(L), so the difference is
// in + softplus(-L).
double OrFactor::sum(std::size_t factor, const double* in, double* beliefs, double*, Arena&) const {
    const int count = ports(factor);
    if (has_certain(in, count)) {
        double total = 0;
        for (int i = 0; i < count; ++i) {
            beliefs[i] = in[i];
            if (in[i] != INFINITY) total += softplus(in[i]);
        }
        return total;
    }
    const double total = log_any_without(in, count, beliefs);
    if (total == -INFINITY) return nothing(factor, beliefs);
    for (int i = 0; i < count; ++i) beliefs[i] = in[i] == -INFINITY ? in[i] : in[i] + softplus(-beliefs[i]);
    return total;
}

double OrFactor::max(std::size_t factor, const double* in, double* beliefs, Arena&) const {
    const int count = ports(factor);
    const Gains gains(in, count);
    if (gains.first == -INFINITY) return nothing(factor, beliefs);
    for (int i = 0; i < count; ++i) beliefs[i] = in[i] == -INFINITY ? in[i] : in[i] + gains.cost_without(in[i]);
    return gains.best();
}

double OrFactor::best(std::size_t factor, const double* in, Configuration& found, Arena&) const {
    found.active.clear();
    found.inner = 0;
    return best_any(in, ports(factor), found.active);
}

bool OrFactor::project(std::size_t factor, const double* a, double, double* z, ActiveSet&, Arena& arena) const {
    return project_between(a, ports(factor), 1, ports(factor), z, arena);
}

void OrFactor::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    std::vector<Polytope::Term> terms;
    for (int i = 0; i < ports(factor); ++i) terms.emplace_back(i, 1.0);
    rows.add_row(1, Polytope::unbounded, terms);
}

double OrFactor::score(std::size_t, std::span<const int> active, Arena&) const {
    return active.empty() ? -INFINITY : 0;
}

// ---- with output: all false, or the last and another one true ----

OrWithOutputFactor::OrWithOutputFactor(std::string kind, Wiring wiring)
    : HardFactor(std::move(kind), std::move(wiring)) {
    for (std::size_t factor = 0; factor < size(); ++factor)
        if (ports(factor) == 0) throw std::invalid_argument("there must be an output");
}

// With x = out + L of the inputs but i, the ways in which i is false weigh 1 + exp(x), and those in which it is true
// exp(in + out + softplus(L)). The quotient is taken from the larger of 1 and exp(x).
double OrWithOutputFactor::sum(std::size_t factor, const double* in, double* beliefs, double*, Arena&) const {
    const int inputs = ports(factor) - 1;
    const double out = in[inputs] == INFINITY ? 0 : in[inputs];
    const bool must = in[inputs] == INFINITY || has_certain(in, inputs);
    if (has_certain(in, inputs)) {
        if (out == -INFINITY) return nothing(factor, beliefs);
        double total = out;
        for (int i = 0; i < inputs; ++i) {
            beliefs[i] = in[i];
            if (in[i] != INFINITY) total += softplus(in[i]);
        }
        beliefs[inputs] = INFINITY;
        return total;
    }
    const double any = log_any_without(in, inputs, beliefs);
    if (must && any == -INFINITY) return nothing(factor, beliefs);
    for (int i = 0; i < inputs; ++i) {
        const double others = beliefs[i], x = out + others;
        if (in[i] == -INFINITY || out == -INFINITY)
            beliefs[i] = -INFINITY;
        else if (must)
            beliefs[i] = in[i] + softplus(-others);
        else if (x > 0)
            beliefs[i] = in[i] + softplus(-others) - softplus(-x);
        else
            beliefs[i] = in[i] + out + softplus(others) - softplus(x);
    }
    beliefs[inputs] = must ? INFINITY : any == -INFINITY ? -INFINITY : out + any;
    return must ? out + any : softplus(out + any);
}

double OrWithOutputFactor::max(std::size_t factor, const double* in, double* beliefs, Arena&) const {
    const int inputs = ports(factor) - 1;
    const double out = in[inputs] == INFINITY ? 0 : in[inputs];
    const Gains gains(in, inputs);
    const bool must = in[inputs] == INFINITY || gains.first == INFINITY;
    const double with_output = out + gains.best();
    if (must && with_output == -INFINITY) return nothing(factor, beliefs);
    for (int i = 0; i < inputs; ++i) {
        // By how much the best falls if i must be false: all false, or the output with what is best without i.
        const double cost = gains.cost_without(in[i]), all_false = out + (gains.sum - gain_of(in[i]));
        beliefs[i] = in[i] == INFINITY                        ? INFINITY
                     : in[i] == -INFINITY || out == -INFINITY ? -INFINITY
                                                              : in[i] + (must ? cost : std::min(cost, all_false));
    }
    beliefs[inputs] = must ? INFINITY : with_output;
    return must ? with_output : std::max(with_output, 0.0);
}

double OrWithOutputFactor::best(std::size_t factor, const double* in, Configuration& found, Arena&) const {
    const int inputs = ports(factor) - 1;
    const bool must = in[inputs] == INFINITY || has_certain(in, inputs);
    found.active.clear();
    found.inner = 0;
    const double with_output = (in[inputs] == INFINITY ? 0 : in[inputs]) + best_any(in, inputs, found.active);
    if (with_output == -INFINITY || (!must && with_output <= 0)) {
        found.active.clear();
        return must ? -INFINITY : 0;
    }
    found.active.push_back(inputs);
    return with_output;
}

// {z_i <= out <= sum of z_i}, all in [0, 1] (Martins et al. 2015, appendix): clipping to the order z_i <= out; if that
// violates out <= sum, it holds with equality, which is a simplex with the output negated.
bool OrWithOutputFactor::project(std::size_t factor, const double* a, double, double* z, ActiveSet&,
                                 Arena& arena) const {
    const int inputs = ports(factor) - 1;
    const double out = a[inputs];
    if (out == INFINITY || has_certain(a, inputs)) {  // or alone
        z[inputs] = 1;
        return out != -INFINITY && project_between(a, inputs, 1, inputs, z, arena);
    }
    const Arena::Frame frame(arena);
    const FreePorts free(a, inputs, arena);
    double* solved = arena.take<double>(free.free + 1, 0.0);
    z[inputs] = 0;
    if (out != -INFINITY && free.free > 0) {
        double* sorted = arena.take<double>(free.free);
        std::copy(free.values, free.values + free.free, sorted);
        std::sort(sorted, sorted + free.free, std::greater<>());
        // The output and the inputs above it meet at their mean.
        double mean = out;
        for (int pooled = 1; pooled <= free.free && sorted[pooled - 1] > mean; ++pooled)
            mean += (sorted[pooled - 1] - mean) / (pooled + 1);
        double sum = 0;
        for (int i = 0; i < free.free; ++i) sum += solved[i] = clip(std::min(free.values[i], mean));
        z[inputs] = clip(mean);
        if (z[inputs] > sum) {
            double* with_negation = arena.take<double>(free.free + 1);
            std::copy(free.values, free.values + free.free, with_negation);
            with_negation[free.free] = 1 - out;
            project_to_sum(with_negation, free.free + 1, 1, solved, arena);
            z[inputs] = 1 - solved[free.free];
        }
    }
    free.scatter(solved, z);
    return true;
}

void OrWithOutputFactor::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int inputs = ports(factor) - 1;
    std::vector<Polytope::Term> terms{{inputs, -1.0}};
    for (int i = 0; i < inputs; ++i) {
        rows.add_row(0, Polytope::unbounded, {{inputs, 1.0}, {i, -1.0}});
        terms.emplace_back(i, 1.0);
    }
    rows.add_row(0, Polytope::unbounded, terms);
}

double OrWithOutputFactor::score(std::size_t factor, std::span<const int> active, Arena&) const {
    if (active.empty()) return 0;
    return active.size() > 1 && active.back() == ports(factor) - 1 ? 0 : -INFINITY;
}

}  // namespace arbora
