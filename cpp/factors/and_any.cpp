#include "factors/and_any.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "factors/log_odds.hpp"
#include "semirings/log.hpp"
#include "semirings/max.hpp"

namespace arbora {
namespace {

// What some inputs give together: all false, or any true.
template <class S>
struct Group {
    double none = 0, any = -INFINITY;

    double all() const { return S::plus(none, any); }
    Group with(const Group& other) const { return {none + other.none, S::plus(any + other.all(), none + other.any)}; }
};

bool has_part(std::span<const int> active) { return active.size() > 1 && active.front() == 0; }

}  // namespace

AndAny::AndAny(const Wiring& wiring, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), one_part_each(wiring.factors())) {
    if (part_scores().size() != size()) throw std::invalid_argument("there must be one score for each condition");
    for (std::size_t factor = 0; factor < size(); ++factor)
        if (wiring.input_count(factor) == 0) throw std::invalid_argument("there must be a condition");
    for (std::size_t input = 0; input < wiring.inputs(); ++input)
        if (wiring.is_category(input)) throw std::invalid_argument("the variables must be binary");
}

// With the condition false the inputs give what they give; with it true, `any` has the score beside it. What the inputs
// but one give comes from those before and those after it: nothing is subtracted.
template <class S>
double AndAny::beliefs_of(std::size_t factor, const double* in, double* beliefs, double* part, Arena& arena) const {
    const int count = inputs(factor);
    const double own = part_scores()[factor], without = if_false(in[0]), with = if_true(in[0]);
    const auto given = [&](const Group<S>& inputs) {
        return S::plus(without + inputs.all(), with + S::plus(inputs.none, inputs.any + own));
    };
    const auto alone = [&](int i) { return Group<S>{if_false(in[i]), if_true(in[i])}; };
    const Arena::Frame frame(arena);
    Group<S>* before = arena.take<Group<S>>(count + 1);
    before[0] = {};
    for (int i = 0; i < count; ++i) before[i + 1] = before[i].with(alone(i + 1));
    const Group<S>& all = before[count];
    const double value = given(all);
    if (part) *part = 0;
    if (value == -INFINITY) {
        std::fill_n(beliefs, count + 1, 0.0);
        return value;
    }
    Group<S> after;
    for (int i = count; i >= 1; --i) {
        const Group<S> others = before[i - 1].with(after);
        const double if_any = others.all() + S::plus(without, with + own);
        beliefs[i] = (if_true(in[i]) + if_any) - (if_false(in[i]) + given(others));
        after = after.with(alone(i));
    }
    beliefs[0] = (with + S::plus(all.none, all.any + own)) - (without + all.all());
    if (part) *part = std::exp(with + all.any + own - value);
    return value;
}

double AndAny::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    return beliefs_of<LogSemiring>(factor, in, beliefs, parts, arena);
}

double AndAny::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return beliefs_of<MaxSemiring>(factor, in, beliefs, nullptr, arena);
}

// The inputs that gain are true; with the condition true it may be better that none is, or that one is which loses.
double AndAny::best(std::size_t factor, const double* in, Configuration& found, Arena&) const {
    const int count = inputs(factor);
    const double own = part_scores()[factor];
    double gains = 0, none = 0, least_loss = -INFINITY;
    int nearest = -1;
    for (int i = 1; i <= count; ++i) {
        none += if_false(in[i]);
        gains += std::max(if_false(in[i]), if_true(in[i]));
        if (in[i] > least_loss) least_loss = in[i], nearest = i;
    }
    const double any = gains + std::min(least_loss, 0.0);
    const double without = if_false(in[0]) + gains;
    const double with_any = if_true(in[0]) + any + own, with_none = if_true(in[0]) + none;
    const double value = std::max({without, with_any, with_none});
    found.active.clear();
    found.inner = 0;
    if (value == -INFINITY) return value;
    if (without < value) found.active.push_back(0);
    const bool is_any = without == value || with_any == value;
    for (int i = 1; i <= count && is_any; ++i)
        if (in[i] > 0 || (without < value && least_loss <= 0 && i == nearest)) found.active.push_back(i);
    if (has_part(found.active)) found.inner = own;
    return value;
}

// The part is below the condition and below the sum of the inputs, and not below their overlaps with the condition.
void AndAny::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const int part = rows.new_column(part_scores()[factor]);
    std::vector<Polytope::Term> sum{{part, -1.0}};
    rows.add_row(0, Polytope::unbounded, {{0, 1.0}, {part, -1.0}});
    for (int i = 1; i <= inputs(factor); ++i) {
        rows.add_row(-Polytope::unbounded, 1, {{0, 1.0}, {i, 1.0}, {part, -1.0}});
        sum.emplace_back(i, 1.0);
    }
    rows.add_row(0, Polytope::unbounded, sum);
}

double AndAny::score(std::size_t factor, std::span<const int> active, Arena&) const {
    return has_part(active) ? part_scores()[factor] : 0;
}

void AndAny::add_parts(std::size_t, std::span<const int> active, double weight, double* parts, Arena&) const {
    if (has_part(active)) parts[0] += weight;
}

std::shared_ptr<const FactorGroup> AndAny::scaled(double multiplier) const {
    return std::make_shared<AndAny>(wiring(), scaled_scores(multiplier));
}

}  // namespace arbora
