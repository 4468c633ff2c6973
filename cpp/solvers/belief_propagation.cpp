#include "solvers/belief_propagation.hpp"

#include "solvers/bethe.hpp"
#include "solvers/read_out.hpp"

namespace arbora {

Outcome belief_propagation(const FactorGraph& graph, const PropagationOptions& options) {
    check(options);
    Outcome outcome;
    Arena arena;
    MessageState state(graph, Oracle::sum, needs_logarithms(options.schedule));
    const auto keep_value = [&] { outcome.values.push_back(bethe(state, outcome.parts, arena)); };
    run(state, options, outcome, arena, options.keeps_values ? keep_value : std::function<void()>());
    outcome.infeasible = outcome.infeasible || !read_beliefs(state, outcome.beliefs);
    if (!outcome.infeasible) outcome.log_partition = bethe(state, outcome.parts, arena);
    if (outcome.infeasible || outcome.log_partition == -INFINITY) {
        set_infeasible(state, outcome);
    } else {
        if (options.wants_entropies) set_entropies(state, outcome, arena);
        if (options.wants_assignment) outcome.value = read_out(state, outcome.assignment, arena);
    }
    if (!options.wants_parts) outcome.parts.clear();
    outcome.seconds = state.seconds;
    outcome.calls = state.calls;
    return outcome;
}

}  // namespace arbora
