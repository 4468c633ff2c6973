#include "solvers/projective_chart.hpp"

#include "bindings.hpp"
#include "graphs.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_projective_chart(nb::module_& m) {
    m.def(
        "projective_chart",
        [](const arbora::FactorGraph& graph, bool with_sums, int k) {
            return dictionary_of(
                arbora::run_unlocked([&] { return arbora::solve_by_projective_chart(graph, with_sums, k); }));
        },
        "graph"_a, "with_sums"_a, "k"_a, "Projective trees with scores of siblings and grandparents, exactly.");
}
