// Solvers that give upper bounds: dual decomposition, AD3, and branch and bound on top of it.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "graphs.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"
#include "solvers/branch_and_bound.hpp"
#include "solvers/dual_decomposition.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arbora;

namespace {

DualStepRule rule_named(const std::string& name) {
    if (name == "level") return DualStepRule::level;
    if (name == "decreasing") return DualStepRule::decreasing;
    throw nb::value_error("steps must be level or decreasing");
}

}  // namespace

void bind_relaxation(nb::module_& m) {
    m.def(
        "dual_decomposition",
        [](const FactorGraph& graph, int iterations, double beta, bool lazy, const std::string& steps) {
            const DualStepRule rule = rule_named(steps);
            return dictionary_of(
                run_unlocked([&] { return dual_decomposition(graph, {iterations, beta, lazy, rule}); }));
        },
        "graph"_a, "iterations"_a, "beta"_a, "lazy"_a, "steps"_a,
        "The subgradient method on the multipliers of all copies.");
    m.def(
        "ad3",
        [](const FactorGraph& graph, int iterations, double tolerance, double penalty, int nodes) {
            const Ad3Options options{iterations, tolerance, penalty};
            return dictionary_of(
                run_unlocked([&] { return nodes ? exact_ad3(graph, options, nodes) : ad3(graph, options); }));
        },
        "graph"_a, "iterations"_a, "tolerance"_a, "penalty"_a, "nodes"_a,
        "Alternating directions; with branch and bound if there may be any nodes.");
}
