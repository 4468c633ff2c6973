#include <algorithm>
#include <cmath>

#include "factors/logic.hpp"
#include "factors/simplex.hpp"

namespace arbora {
namespace {

// The highest of some scores, where it is, and the highest of the others.
struct Highest {
    Highest(const double* in, int count) {
        for (int i = 0; i < count; ++i) {
            if (in[i] > first || place < 0) {
                second = first;
                first = in[i];
                place = i;
            } else {
                second = std::max(second, in[i]);
            }
        }
    }
    double first = -INFINITY, second = -INFINITY;
    int place = -1;
};

double log_sum_without(const double* in, int count, int left_out, double base, double none) {
    if (base == -INFINITY) return base;
    double total = std::exp(none - base);
    for (int i = 0; i < count; ++i)
        if (i != left_out) total += std::exp(in[i] - base);
    return base + std::log(total);
}

}  // namespace

// Z = exp(none) + sum of exp(in). The weight of all but i is Z less that of i, which cancels nothing unless i has the
// highest weight of all: then the others are added up.
double OneOfFactor::sum(std::size_t factor, const double* in, double* beliefs, double*, Arena& arena) const {
    const int count = ports(factor), certain = certain_input(in, count);
    if (certain == contradiction) return nothing(factor, beliefs);
    if (certain >= 0) return max(factor, in, beliefs, arena);
    const Highest highest(in, count);
    const double base = std::max(highest.first, none_);
    if (base == -INFINITY) return nothing(factor, beliefs);
    double total = std::exp(none_ - base);
    for (int i = 0; i < count; ++i) total += beliefs[i] = std::exp(in[i] - base);
    for (int i = 0; i < count; ++i) beliefs[i] = (in[i] - base) - std::log(total - beliefs[i]);
    const int top = highest.place;
    if (top >= 0 && in[top] >= none_)
        beliefs[top] = in[top] - log_sum_without(in, count, top, std::max(highest.second, none_), none_);
    return base + std::log(total);
}

double OneOfFactor::max(std::size_t factor, const double* in, double* beliefs, Arena&) const {
    const int count = ports(factor), certain = certain_input(in, count);
    if (certain == contradiction) return nothing(factor, beliefs);
    if (certain >= 0) {
        for (int i = 0; i < count; ++i) beliefs[i] = i == certain ? INFINITY : -INFINITY;
        return 0;
    }
    const Highest highest(in, count);
    const double best = std::max(highest.first, none_), other = std::max(highest.second, none_);
    if (best == -INFINITY) return nothing(factor, beliefs);
    for (int i = 0; i < count; ++i) beliefs[i] = in[i] - (i == highest.place ? other : best);
    return best;
}

double OneOfFactor::best(std::size_t factor, const double* in, Configuration& found, Arena&) const {
    const int count = ports(factor), certain = certain_input(in, count);
    found.active.clear();
    found.inner = 0;
    if (certain == contradiction) return -INFINITY;
    if (certain >= 0) {
        found.active.push_back(certain);
        return 0;
    }
    const Highest highest(in, count);
    if (highest.first <= none_) return none_;
    found.active.push_back(highest.place);
    return highest.first;
}

bool OneOfFactor::project(std::size_t factor, const double* a, double, double* z, ActiveSet&, Arena& arena) const {
    return project_between(a, ports(factor), none_ == 0 ? 0 : 1, 1, z, arena);
}

void OneOfFactor::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    std::vector<Polytope::Term> terms;
    for (int i = 0; i < ports(factor); ++i) terms.emplace_back(i, 1.0);
    rows.add_row(none_ == 0 ? 0 : 1, 1, terms);
}

double OneOfFactor::score(std::size_t, std::span<const int> active, Arena&) const {
    return active.empty() ? none_ : active.size() == 1 ? 0 : -INFINITY;
}

}  // namespace arbora
