#include "solvers/enumeration.hpp"

#include "bindings.hpp"
#include "graphs.hpp"
#include "outcomes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_enumeration(nb::module_& m) {
    m.def(
        "enumerate",
        [](const arbora::FactorGraph& graph, double most) {
            arbora::Outcome outcome;
            {
                nb::gil_scoped_release release;
                outcome = arbora::enumerate(graph, most);
            }
            return dictionary_of(outcome);
        },
        "graph"_a, "most"_a, "Goes through all assignments, if there are at most so many.");
}
