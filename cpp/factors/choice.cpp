#include "factors/choice.hpp"

#include <algorithm>
#include <cmath>

#include "factors/log_odds.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"

namespace arbora {
namespace {

// What it gives to choose j: `in` of the choice itself, unless one of them is certain.
double choice_score(const double* in, int j, int certain) { return certain < 0 ? in[j] : j == certain ? 0 : -INFINITY; }

// What it gives if the output is false, and if it is true, beside what free values would.
template <class S>
struct Chosen {
    Chosen(double choice, double value, double out) : free(S::plus(if_false(value), if_true(value))) {
        with_false = choice + if_false(out) + (if_false(value) - free);
        with_true = choice + if_true(out) + (if_true(value) - free);
    }
    double free, with_false, with_true;
};

}  // namespace

ChoiceFactor::ChoiceFactor(std::string kind, Wiring wiring, bool or_none)
    : HardFactor(std::move(kind), std::move(wiring)), none_(or_none ? 0 : -INFINITY) {
    for (std::size_t factor = 0; factor < size(); ++factor)
        if (ports(factor) % 2 == 0)
            throw std::invalid_argument("every choice must have a value, and there must be an output");
}

// All values free give F. Choice j takes the place of its own value's share of F: w_j = [output false] + [output true].
// With R_j = sum of the other w, the ways in which choice j is made weigh F w_j, the others F R_j; the value of j is true
// with R_j + [output true], and false with R_j + [output false], each times what the value itself gives. Nothing is
// subtracted: R_j is a sum from the left and one from the right.
template <class S>
double ChoiceFactor::beliefs_of(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    const int count = choices(factor), certain = certain_input(in, count);
    if (certain == contradiction) return nothing(factor, beliefs);
    const Arena::Frame frame(arena);
    double *weights = arena.take<double>(count), *others = arena.take<double>(count);
    const double *values = in + count, out = in[2 * count];
    const double none = certain < 0 ? none_ + if_false(out) : -INFINITY;
    double all_free = 0, with_false = none, with_true = -INFINITY, before = none;
    for (int j = 0; j < count; ++j) {
        const Chosen<S> chosen(choice_score(in, j, certain), values[j], out);
        all_free += chosen.free;
        with_false = S::plus(with_false, chosen.with_false);
        with_true = S::plus(with_true, chosen.with_true);
        weights[j] = S::plus(chosen.with_false, chosen.with_true);
        others[j] = before;
        before = S::plus(before, weights[j]);
    }
    if (before == -INFINITY) return nothing(factor, beliefs);
    double after = -INFINITY;
    for (int j = count - 1; j >= 0; --j) {
        others[j] = S::plus(others[j], after);
        after = S::plus(after, weights[j]);
        beliefs[j] = weights[j] - others[j];
        const double choice = choice_score(in, j, certain), value = values[j];
        beliefs[count + j] = std::isinf(value) ? value
                                               : value + S::plus(others[j], choice + if_true(out)) -
                                                     S::plus(others[j], choice + if_false(out));
    }
    beliefs[2 * count] = with_true - with_false;
    return all_free + before;
}

double ChoiceFactor::sum(std::size_t factor, const double* in, double* beliefs, double*, Arena& arena) const {
    return beliefs_of<LogSemiring>(factor, in, beliefs, arena);
}

double ChoiceFactor::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return beliefs_of<MaxSemiring>(factor, in, beliefs, arena);
}

double ChoiceFactor::best(std::size_t factor, const double* in, Configuration& found, Arena&) const {
    const int count = choices(factor), certain = certain_input(in, count);
    found.active.clear();
    found.inner = 0;
    if (certain == contradiction) return -INFINITY;
    const double *values = in + count, out = in[2 * count];
    double all_free = 0, highest = certain < 0 ? none_ + if_false(out) : -INFINITY;
    int choice = -1;
    bool is_true = false;
    for (int j = 0; j < count; ++j) {
        const Chosen<MaxSemiring> chosen(choice_score(in, j, certain), values[j], out);
        all_free += chosen.free;
        const double own = std::max(chosen.with_false, chosen.with_true);
        if (!(own > highest)) continue;
        highest = own;
        choice = j;
        is_true = chosen.with_true > chosen.with_false;
    }
    if (highest == -INFINITY) return highest;
    if (choice >= 0) found.active.push_back(choice);
    for (int j = 0; j < count; ++j)
        if (j == choice ? is_true : values[j] > 0) found.active.push_back(count + j);
    if (is_true) found.active.push_back(2 * count);
    return all_free + highest;
}

// Each choice is two columns, with the output false and with it true; the hull of one of them and of free values.
void ChoiceFactor::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int count = choices(factor);
    std::vector<Polytope::Term> all, output{{2 * count, -1.0}};
    for (int j = 0; j < count; ++j) {
        const int with_false = rows.new_column(), with_true = rows.new_column();
        rows.add_row(0, 0, {{j, -1.0}, {with_false, 1.0}, {with_true, 1.0}});
        rows.add_row(0, Polytope::unbounded, {{count + j, 1.0}, {with_true, -1.0}});
        rows.add_row(-Polytope::unbounded, 1, {{count + j, 1.0}, {with_false, 1.0}});
        all.emplace_back(j, 1.0);
        output.emplace_back(with_true, 1.0);
    }
    rows.add_row(none_ == 0 ? 0 : 1, 1, all);
    rows.add_row(0, 0, output);
}

double ChoiceFactor::score(std::size_t factor, std::span<const int> active, Arena&) const {
    const int count = choices(factor);
    const auto values = std::lower_bound(active.begin(), active.end(), count);
    const bool output = !active.empty() && active.back() == 2 * count;
    if (values == active.begin()) return output ? -INFINITY : none_;
    const bool is_one = values == active.begin() + 1;
    return is_one && std::binary_search(values, active.end(), count + active.front()) == output ? 0 : -INFINITY;
}

}  // namespace arbora
