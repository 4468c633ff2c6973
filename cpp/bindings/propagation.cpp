// Belief propagation and its kin.
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "graphs.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"
#include "solvers/belief_propagation.hpp"
#include "solvers/max_product.hpp"
#include "solvers/replay.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

Schedule schedule_named(const std::string& name) {
    if (name == "flooding") return Schedule::flooding;
    if (name == "serial") return Schedule::serial;
    if (name == "residual") return Schedule::residual;
    throw nb::value_error("schedule must be flooding, serial or residual");
}

PropagationOptions options_of(const std::string& schedule, int iterations, double tolerance, double damping) {
    PropagationOptions options;
    options.schedule = schedule_named(schedule);
    options.iterations = iterations;
    options.tolerance = tolerance;
    options.damping = damping;
    return options;
}

template <class Solve>
nb::dict solved(Solve solve) {
    return dictionary_of(run_unlocked(solve));
}

}  // namespace

void bind_propagation(nb::module_& m) {
    m.def(
        "belief_propagation",
        [](const FactorGraph& graph, const std::string& schedule, int iterations, double tolerance, double damping,
           bool keep_values, bool parts, bool entropies, bool assignment) {
            PropagationOptions options = options_of(schedule, iterations, tolerance, damping);
            options.keeps_values = keep_values;
            options.wants_parts = parts;
            options.wants_entropies = entropies;
            options.wants_assignment = assignment;
            return solved([&] { return belief_propagation(graph, options); });
        },
        "graph"_a, "schedule"_a, "iterations"_a, "tolerance"_a, "damping"_a, "keep_values"_a, "parts"_a, "entropies"_a,
        "assignment"_a, "Sum-product.");
    m.def(
        "replay_propagation",
        [](const FactorGraph& graph, int iterations, int rounds) {
            Replay found;
            {
                const Unlocked unlocked;
                found = replay_propagation(graph, iterations, rounds);
            }
            return nb::make_tuple(array_of(found.together), array_of(found.alone));
        },
        "graph"_a, "iterations"_a, "rounds"_a,
        "Seconds of each group's propagations: within a run, and alone with the messages that it met there.");
    m.def(
        "max_product",
        [](const FactorGraph& graph, const std::string& schedule, int iterations, double tolerance, double damping) {
            const PropagationOptions options = options_of(schedule, iterations, tolerance, damping);
            return solved([&] { return max_product(graph, options); });
        },
        "graph"_a, "schedule"_a, "iterations"_a, "tolerance"_a, "damping"_a, "Max-product and read-out.");
    m.def(
        "anneal",
        [](const FactorGraph& graph, int steps, double lowest, const std::string& schedule, int iterations,
           double tolerance, double damping) {
            const AnnealingOptions options{steps, lowest, options_of(schedule, iterations, tolerance, damping)};
            return solved([&] { return anneal(graph, options); });
        },
        "graph"_a, "steps"_a, "lowest"_a, "schedule"_a, "iterations"_a, "tolerance"_a, "damping"_a,
        "Sum-product at falling temperatures, and read-out.");
}
