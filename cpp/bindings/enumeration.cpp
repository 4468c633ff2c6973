#include "solvers/enumeration.hpp"

#include "bindings.hpp"
#include "graphs.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_enumeration(nb::module_& m) {
    m.def(
        "enumerate",
        [](const arbora::FactorGraph& graph, double most) {
            return dictionary_of(arbora::run_unlocked([&] { return arbora::enumerate(graph, most); }));
        },
        "graph"_a, "most"_a, "Goes through all assignments, if there are at most so many.");
}
