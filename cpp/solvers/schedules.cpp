#include "solvers/schedules.hpp"

#include <algorithm>
#include <stdexcept>

#include "solvers/incidence.hpp"
#include "solvers/priority_queue.hpp"

namespace arbora {
namespace {

double flooding_iteration(MessageState& state, double damping, Arena& arena) {
    for (std::size_t g = 0; g < state.groups(); ++g) state.propagate(g, damping, arena);
    double largest = 0;
    for (std::size_t g = 0; g < state.groups(); ++g) largest = std::max(largest, state.absorb(g));
    return largest;
}

double serial_iteration(MessageState& state, const std::vector<std::size_t>& order, double damping, Arena& arena) {
    double largest = 0;
    for (std::size_t g : order) {
        state.propagate(g, damping, arena);
        if (!state.is_possible()) break;
        largest = std::max(largest, state.absorb(g));
    }
    return largest;
}

// Residual propagation. A factor waits with the largest change of what comes in since it was propagated last; it sends
// all its messages at once, so a global factor is one entry like any other.
class ResidualSchedule {
public:
    ResidualSchedule(MessageState& state, double damping)
        : state_(state), damping_(damping), incidence_(state), queue_(small_first(), never_propagated) {
        for (std::size_t g = 0; g < state.groups(); ++g) heard_.emplace_back(state.group(g).wiring().ports(), 0.0);
    }

    // As many updates as there are factors, if there is something to do; what is left to do afterwards.
    double iteration(double tolerance, Arena& arena) {
        for (std::size_t i = 0; i < incidence_.factors(); ++i) {
            if (queue_.priority(queue_.top()) <= tolerance || !state_.is_possible()) break;
            update(queue_.top(), arena);
        }
        state_.refresh_all();
        return queue_.empty() ? 0 : std::min(queue_.priority(queue_.top()), 2.0);
    }

private:
    static constexpr double never_propagated = 3;  // more than any change

    std::vector<std::size_t> small_first() const {
        std::vector<std::size_t> order;
        for (std::size_t g : groups_by_size(state_))
            for (std::size_t f = 0; f < state_.group(g).size(); ++f) order.push_back(incidence_.number(g, f));
        return order;
    }

    double heard_now(std::size_t group, std::size_t port) const {
        return state_.totals().without(state_.group(group).wiring().slot(port), state_.message(group, port));
    }

    void update(std::size_t factor, Arena& arena) {
        const Arena::Frame frame(arena);
        const std::size_t group = incidence_.group(factor), within = incidence_.within(factor);
        const Wiring& wiring = state_.group(group).wiring();
        const std::size_t begin = wiring.port_begin(within), end = wiring.port_end(within);
        for (std::size_t port = begin; port < end; ++port) heard_[group][port] = heard_now(group, port);
        double* changes = arena.take<double>(end - begin);
        state_.propagate_factor(group, within, damping_, changes, arena);

        // What damping held back is still to come.
        double largest = 0;
        for (std::size_t i = 0; i < end - begin; ++i) largest = std::max(largest, changes[i]);
        queue_.lower_top(damping_ / (1 - damping_) * largest);
        for (std::size_t port = begin; port < end; ++port) {
            if (changes[port - begin] == 0) continue;
            for (const auto [other, its_port] : incidence_.at(wiring.slot(port))) {
                const std::size_t g = incidence_.group(other);
                if (other == factor || queue_.priority(other) == never_propagated) continue;
                queue_.raise(other, change(heard_[g][its_port], heard_now(g, its_port)));
            }
        }
    }

    MessageState& state_;
    double damping_;
    Incidence incidence_;
    PriorityQueue queue_;
    std::vector<std::vector<double>> heard_;  // by every port when its factor was propagated last
};

}  // namespace

void check(const PropagationOptions& options) {
    if (options.iterations < 1) throw std::invalid_argument("iterations must be at least 1");
    if (!(options.tolerance >= 0)) throw std::invalid_argument("tolerance must not be negative");
    if (!(options.damping >= 0 && options.damping < 1)) throw std::invalid_argument("damping must be in [0, 1)");
}

void run(MessageState& state, const PropagationOptions& options, Outcome& outcome, Arena& arena,
         const std::function<void()>& after_iteration) {
    std::unique_ptr<ResidualSchedule> residual;
    std::vector<std::size_t> order;
    if (options.schedule == Schedule::residual)
        residual = std::make_unique<ResidualSchedule>(state, options.damping);
    else
        order = groups_by_size(state);
    const auto iterate = [&] {
        if (residual) return residual->iteration(options.tolerance, arena);
        state.refresh();
        const double largest = options.schedule == Schedule::flooding
                                   ? flooding_iteration(state, options.damping, arena)
                                   : serial_iteration(state, order, options.damping, arena);
        return std::min(largest / (1 - options.damping), 2.0);  // as if it had not been damped
    };
    outcome.converged = false;
    for (int i = 0; i < options.iterations && !outcome.converged && state.is_possible(); ++i) {
        ++outcome.iterations;
        outcome.residuals.push_back(iterate());
        // Messages that were cut may rest; that is not to converge.
        outcome.converged = state.is_possible() && outcome.residuals.back() <= options.tolerance && !state.is_cut();
        if (after_iteration && state.is_possible()) after_iteration();
    }
    state.refresh();
    outcome.infeasible = !state.is_possible();
}

}  // namespace arbora
