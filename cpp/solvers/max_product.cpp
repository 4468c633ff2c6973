#include "solvers/max_product.hpp"

#include <cmath>
#include <stdexcept>

#include "solvers/bethe.hpp"
#include "solvers/read_out.hpp"

namespace arbora {

Outcome max_product(const FactorGraph& graph, const PropagationOptions& options) {
    check(options);
    Outcome outcome;
    Arena arena;
    MessageState state(graph, Oracle::max, true);
    run(state, options, outcome, arena);
    if (!outcome.infeasible) outcome.infeasible = !read_beliefs(state, outcome.beliefs);
    if (outcome.infeasible)
        set_infeasible(state, outcome);
    else
        outcome.value = read_out(state, outcome.assignment, arena);
    outcome.seconds = state.seconds;
    outcome.calls = state.calls;
    return outcome;
}

Outcome anneal(const FactorGraph& graph, const AnnealingOptions& options) {
    check(options.propagation);
    if (options.steps < 1) throw std::invalid_argument("there must be at least one temperature");
    if (!(options.lowest > 0 && options.lowest <= 1)) throw std::invalid_argument("lowest must be in (0, 1]");
    Outcome outcome;
    Arena arena;
    outcome.seconds.assign(graph.groups().size(), 0.0);
    outcome.calls.assign(graph.groups().size(), 0);
    std::unique_ptr<MessageState> state;
    double temperature = 1;
    for (int step = 0; step < options.steps && !outcome.infeasible; ++step) {
        const double last = temperature;
        temperature = options.steps == 1 ? 1 : std::pow(options.lowest, double(step) / (options.steps - 1));
        auto next = std::make_unique<MessageState>(graph, Oracle::sum, true, temperature);
        if (state) next->start_from(*state, last / temperature);
        state = std::move(next);
        run(*state, options.propagation, outcome, arena);
        if (!outcome.infeasible) outcome.infeasible = !read_beliefs(*state, outcome.beliefs);
        if (outcome.infeasible) {
            set_infeasible(*state, outcome);
        } else {
            Assignment assignment;
            const double value = read_out(*state, assignment, arena);
            if (value > outcome.value) {
                outcome.value = value;
                outcome.assignment = std::move(assignment);
            }
        }
        for (std::size_t g = 0; g < state->groups(); ++g) {
            outcome.seconds[g] += state->seconds[g];
            outcome.calls[g] += state->calls[g];
        }
    }
    return outcome;
}

}  // namespace arbora
