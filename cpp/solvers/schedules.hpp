#pragma once
#include <functional>

#include "solvers/message_state.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

enum class Schedule {
    flooding,  // all groups from the same totals
    serial,    // one group after the other, those of small factors first, and the totals in between
    residual,  // always the factor for which the most has changed (Elidan et al. 2006)
};

struct PropagationOptions {
    Schedule schedule = Schedule::serial;
    int iterations = 100;       // at most; by the residual schedule, one is as many updates as there are factors
    double tolerance = 1e-6;    // at rest when nothing changes by more (`change`)
    double damping = 0;         // how much of the old message stays, in [0, 1)
    bool keeps_values = false;  // the Bethe value of every iteration, which takes time
    bool wants_parts = true, wants_entropies = false;
    bool wants_assignment = true;
};

// Throws std::invalid_argument for options that make no sense.
void check(const PropagationOptions& options);

// Propagates until messages rest, the cap is reached or a contradiction shows; writes converged, infeasible,
// iterations and residuals. `after_iteration` is called after each.
void run(MessageState& state, const PropagationOptions& options, Outcome& outcome, Arena& arena,
         const std::function<void()>& after_iteration = nullptr);

// Whether a state for this schedule must keep its messages in logarithms.
inline bool needs_logarithms(Schedule schedule) { return schedule == Schedule::residual; }

}  // namespace arbora
