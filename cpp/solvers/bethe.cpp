#include "solvers/bethe.hpp"

#include <algorithm>
#include <cmath>

namespace arbora {
namespace {

double sigmoid(double log_odds) {
    return log_odds >= 0 ? 1 / (1 + std::exp(-log_odds)) : std::exp(log_odds) / (1 + std::exp(log_odds));
}

struct Moment {
    double log_partition, entropy;
};

Moment binary_moment(double total) {
    if (std::isinf(total)) return {0, 0};
    const double size = std::abs(total), tail = std::log1p(std::exp(-size));
    return {std::max(total, 0.0) + tail, tail + size * sigmoid(-size)};
}

double highest_total(const MessageState& state, int variable) {
    const Variables& variables = state.graph().variables();
    double highest = -INFINITY;
    for (int i = 0; i < variables.size(variable); ++i)
        highest = std::max(highest, state.totals()(variables.first(variable) + i));
    return highest;
}

Moment category_moment(const MessageState& state, int variable) {
    const Variables& variables = state.graph().variables();
    const double highest = highest_total(state, variable);
    if (highest == -INFINITY) return {-INFINITY, 0};
    double sum = 0, weighted = 0;
    for (int i = 0; i < variables.size(variable); ++i) {
        const double below = state.totals()(variables.first(variable) + i) - highest;
        if (below == -INFINITY) continue;
        sum += std::exp(below);
        weighted += below * std::exp(below);
    }
    return {highest + std::log(sum), std::log(sum) - weighted / sum};
}

// Log Z of one factor, and its entropy, log Z minus the expected score.
class FactorMoments {
public:
    FactorMoments(const MessageState& state, Arena& arena) : state_(state), arena_(arena) {}

    // The factors of a group in turn; `parts` is null or has room for those of the group.
    void start(std::size_t group) {
        group_ = group;
        messages_ = state_.logarithms(group, buffer_);
    }

    Moment operator()(std::size_t factor, double* parts) {
        const FactorGroup& group = state_.group(group_);
        const Wiring& wiring = group.wiring();
        const Arena::Frame frame(arena_);
        const int ports = wiring.port_count(factor);
        double* in = arena_.take<double>(ports);
        double* beliefs = arena_.take<double>(ports);
        group.gather(factor, state_.totals(), messages_, in);
        const double log_sum = group.sum(factor, in, beliefs, parts, arena_);
        if (log_sum == -INFINITY) return {-INFINITY, 0};

        Moment moment{log_sum, log_sum};
        for (std::size_t input = wiring.input_begin(factor); input < wiring.input_end(factor); ++input)
            for (int i = 0; i < wiring.input_size(input); ++i) {
                const std::size_t port = wiring.input_port(input) + i;
                const std::size_t local = port - wiring.port_begin(factor);
                if (std::isinf(in[local])) continue;
                const double belief = wiring.is_category(input) ? std::exp(beliefs[local]) : sigmoid(beliefs[local]);
                moment.entropy -= in[local] * belief;
                moment.log_partition += correction(wiring, port, in[local]);
            }
        for (std::size_t i = 0; parts && i < group.part_count(factor); ++i) {
            const double score = group.part_scores()[group.part_begin(factor) + i];
            if (score != -INFINITY) moment.entropy -= score * parts[i];
        }
        moment.entropy = std::max(moment.entropy, 0.0);
        return moment;
    }

private:
    // What a finite `in` counts too little or too much. A negated variable is x' = 1 - x with score -q where x has q, so
    // q is to be added to both. Where it is certain that a variable is true, every `in` that is infinite counts nothing,
    // and its own score is added later, once; so a factor that alone makes it certain must not count it either.
    double correction(const Wiring& wiring, std::size_t port, double in) const {
        const double shift = wiring.is_negated(port) ? -in : 0;
        const bool is_certain = state_.totals()(wiring.slot(port)) == INFINITY;
        return is_certain ? shift - (wiring.is_negated(port) ? -in : in) : shift;
    }

    const MessageState& state_;
    Arena& arena_;
    std::size_t group_ = 0;
    const double* messages_ = nullptr;
    std::vector<double> buffer_;
};

// The variables' share; their entropies too, if there is a place for them.
double variables_share(const MessageState& state, std::vector<double>* entropies) {
    const Variables& variables = state.graph().variables();
    const std::vector<int> degrees = state.graph().degrees();
    double share = 0;
    for (int v = 0; v < variables.count(); ++v) {
        const int slot = variables.first(v);
        const double total = state.totals()(slot);
        const Moment moment =
            variables.is_category(v) ? category_moment(state, v) : binary_moment(total);
        if (moment.log_partition == -INFINITY) return -INFINITY;
        share += (1 - degrees[slot]) * moment.log_partition;
        if (total == INFINITY && !std::isinf(state.unary(slot))) share += state.unary(slot);
        if (entropies) entropies->push_back(moment.entropy);
    }
    return share;
}

}  // namespace

double bethe(const MessageState& state, bool wants_parts, Outcome& outcome, Arena& arena) {
    outcome.variable_entropies.clear();
    outcome.factor_entropies.assign(state.groups(), {});
    outcome.parts.assign(state.groups(), {});
    double value = state.graph().constant() + variables_share(state, &outcome.variable_entropies);
    FactorMoments moments(state, arena);
    std::vector<double> parts;
    for (std::size_t g = 0; g < state.groups(); ++g) {
        const FactorGroup& group = state.group(g);
        parts.assign(group.part_scores().size(), 0.0);
        moments.start(g);
        for (std::size_t factor = 0; factor < group.size(); ++factor) {
            const Moment moment = moments(factor, parts.data() + group.part_begin(factor));
            value += moment.log_partition;
            outcome.factor_entropies[g].push_back(moment.entropy);
        }
        if (wants_parts) outcome.parts[g] = parts;
    }
    return value;
}

double bethe_value(const MessageState& state, Arena& arena) {
    double value = state.graph().constant() + variables_share(state, nullptr);
    FactorMoments moments(state, arena);
    for (std::size_t g = 0; g < state.groups(); ++g) {
        moments.start(g);
        for (std::size_t factor = 0; factor < state.group(g).size(); ++factor)
            value += moments(factor, nullptr).log_partition;
    }
    return value;
}

bool read_beliefs(const MessageState& state, std::vector<double>& beliefs) {
    const Variables& variables = state.graph().variables();
    std::vector<double> result(state.graph().slots());
    for (int v = 0; v < variables.count(); ++v) {
        const int first = variables.first(v);
        if (!variables.is_category(v)) {
            result[first] = sigmoid(state.totals()(first));
            continue;
        }
        const double highest = highest_total(state, v);
        if (highest == -INFINITY) return false;
        double sum = 0;
        for (int i = first; i < first + variables.size(v); ++i)
            sum += result[i] = std::exp(state.totals()(i) - highest);
        for (int i = first; i < first + variables.size(v); ++i) result[i] /= sum;
    }
    beliefs = std::move(result);
    return true;
}

void set_infeasible(const MessageState& state, Outcome& outcome) {
    outcome.infeasible = true;
    outcome.converged = false;
    outcome.beliefs.assign(state.graph().slots(), 0.0);
    outcome.variable_entropies.assign(state.graph().variables().count(), 0.0);
    outcome.parts.clear();
    outcome.factor_entropies.clear();
    for (std::size_t g = 0; g < state.groups(); ++g) {
        outcome.parts.emplace_back(state.group(g).part_scores().size(), 0.0);
        outcome.factor_entropies.emplace_back(state.group(g).size(), 0.0);
    }
    outcome.assignment.clear();
    outcome.value = outcome.upper_bound = outcome.log_partition = -INFINITY;
}

}  // namespace arbora
