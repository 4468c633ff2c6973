#include "solvers/bethe.hpp"

#include <algorithm>
#include <cmath>

#include "support/interruption.hpp"

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

Moment moment_of(const MessageState& state, int variable) {
    const Variables& variables = state.graph().variables();
    return variables.is_category(variable) ? category_moment(state, variable)
                                           : binary_moment(state.totals()(variables.first(variable)));
}

// The variables' share.
double variables_share(const MessageState& state) {
    const Variables& variables = state.graph().variables();
    const std::vector<int> degrees = state.graph().degrees();
    double share = 0;
    for (int v = 0; v < variables.count(); ++v) {
        const int slot = variables.first(v);
        const double total = state.totals()(slot), unary = state.unary(slot);
        const double log_partition = moment_of(state, v).log_partition;
        if (log_partition == -INFINITY) return -INFINITY;
        share += (1 - degrees[slot]) * log_partition;
        if (total == INFINITY && !std::isinf(unary)) share += unary;
    }
    return share;
}

// What the factors of a group count too little or too much where `in` is finite. A negated variable is x' = 1 - x with
// score -q where x has q, so q is to be added to both. Where it is certain that a variable is true, every `in` that is
// infinite counts nothing, and the variable's own score is counted once in its share; so a factor that alone makes it
// certain must not count it either.
double correction(const MessageState& state, std::size_t g) {
    const Wiring& wiring = state.group(g).wiring();
    const auto is_certain = [&](int slot) { return state.totals()(slot) == INFINITY; };
    const std::vector<int>& slots = state.slots_seen(g);
    if (!wiring.has_negations() && std::none_of(slots.begin(), slots.end(), is_certain)) return 0;
    std::vector<double> buffer;
    const double* messages = state.logarithms(g, buffer);
    double result = 0;
    for (std::size_t port = 0; port < wiring.ports(); ++port) {
        const int slot = wiring.slot(port);
        const bool is_negated = wiring.is_negated(port);
        const double q = state.totals().without(slot, is_negated ? -messages[port] : messages[port]);
        if (std::isinf(q)) continue;
        if (is_negated) result += q;
        if (is_certain(slot)) result -= q;
    }
    return result;
}

// Log Z of a factor minus its expected score. `parts` are the beliefs of its parts.
double factor_entropy(const MessageState& state, std::size_t g, std::size_t factor, const double* messages,
                      const double* parts, Arena& arena) {
    const FactorGroup& group = state.group(g);
    const Wiring& wiring = group.wiring();
    const Arena::Frame frame(arena);
    const std::size_t begin = wiring.port_begin(factor);
    double* in = arena.take<double>(wiring.port_count(factor));
    double* beliefs = arena.take<double>(wiring.port_count(factor));
    group.gather(factor, state.totals(), messages, in);
    double entropy = group.sum(factor, in, beliefs, nullptr, arena);
    for (std::size_t input = wiring.input_begin(factor); input < wiring.input_end(factor); ++input)
        for (std::size_t port = wiring.input_port(input); port < wiring.input_port(input + 1); ++port) {
            const double belief = beliefs[port - begin];
            if (!std::isinf(in[port - begin]))
                entropy -= in[port - begin] * (wiring.is_category(input) ? std::exp(belief) : sigmoid(belief));
        }
    for (std::size_t i = 0; i < group.part_count(factor); ++i) {
        const double score = group.part_scores()[group.part_begin(factor) + i];
        if (score != -INFINITY) entropy -= score * parts[i];
    }
    return std::max(entropy, 0.0);
}

}  // namespace

double bethe(const MessageState& state, std::vector<std::vector<double>>& parts, Arena& arena) {
    parts.resize(state.groups());
    double value = state.graph().constant() + variables_share(state);
    for (std::size_t g = 0; g < state.groups(); ++g) {
        parts[g].resize(state.group(g).part_scores().size());
        value += state.sum_all(g, parts[g].data(), arena) + correction(state, g);
    }
    return value;
}

void set_entropies(const MessageState& state, Outcome& outcome, Arena& arena) {
    outcome.variable_entropies.clear();
    for (int v = 0; v < state.graph().variables().count(); ++v)
        outcome.variable_entropies.push_back(moment_of(state, v).entropy);
    outcome.factor_entropies.assign(state.groups(), {});
    std::vector<double> buffer;
    for (std::size_t g = 0; g < state.groups(); ++g) {
        const FactorGroup& group = state.group(g);
        const double* messages = state.logarithms(g, buffer);
        for (std::size_t factor = 0; factor < group.size(); ++factor) {
            Interruption::heed();
            outcome.factor_entropies[g].push_back(
                factor_entropy(state, g, factor, messages, outcome.parts[g].data() + group.part_begin(factor), arena));
        }
    }
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
