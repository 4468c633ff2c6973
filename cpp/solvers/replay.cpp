#include "solvers/replay.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/incidence.hpp"
#include "solvers/message_state.hpp"

namespace arbora {
namespace {

// One run; before(state, group) is called before each propagation.
template <class Before>
void run_serially(MessageState& state, int iterations, Arena& arena, Before before) {
    const std::vector<std::size_t> order = groups_by_size(state);
    for (int i = 0; i < iterations && state.is_possible(); ++i) {
        for (std::size_t group : order) {
            before(state, group);
            state.propagate(group, 0, arena);
            if (!state.is_possible()) return;
            state.absorb(group);
        }
        state.refresh();
    }
}

}  // namespace

Replay replay_propagation(const FactorGraph& graph, int iterations, int rounds) {
    Arena arena;
    const MessageState start(graph, Oracle::sum, false);
    std::vector<std::vector<MessageState>> met(start.groups());
    MessageState first = start;
    run_serially(first, iterations, arena,
                 [&](const MessageState& state, std::size_t group) { met[group].push_back(state); });
    Replay result{std::vector<double>(start.groups(), INFINITY), std::vector<double>(start.groups(), INFINITY)};
    MessageState again = start;
    for (int round = 0; round < rounds; ++round) {
        MessageState state = start;
        run_serially(state, iterations, arena, [](const MessageState&, std::size_t) {});
        for (std::size_t group = 0; group < start.groups(); ++group) {
            result.together[group] = std::min(result.together[group], state.seconds[group]);
            again.seconds[group] = 0;
            for (const MessageState& each : met[group]) {
                again.restore(each, group);
                again.propagate(group, 0, arena);
            }
            result.alone[group] = std::min(result.alone[group], again.seconds[group]);
        }
    }
    return result;
}

}  // namespace arbora
