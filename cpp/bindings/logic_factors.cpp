// Groups of logic factors. `inputs` are numbers of variables (~number: negated), those of factor i from begins[i] to
// begins[i + 1]; `kind` is the name that users know.
#include <nanobind/stl/string.h>

#include "factors/cardinality.hpp"
#include "factors/choice.hpp"
#include "factors/logic.hpp"
#include "graphs.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arbora;

namespace {

template <class Factor, class... Arguments>
void add_group(FactorGraph& graph, const std::string& kind, const Vector<std::int32_t>& inputs,
               const Vector<std::int64_t>& begins, Arguments&&... arguments) {
    graph.add(std::make_shared<Factor>(kind, wired(graph, inputs, begins), std::forward<Arguments>(arguments)...));
}

}  // namespace

void bind_logic_factors(GraphClass& graph) {
    using Inputs = const Vector<std::int32_t>&;
    using Begins = const Vector<std::int64_t>&;
    graph
        .def(
            "add_one_of",
            [](FactorGraph& graph, const std::string& kind, Inputs inputs, Begins begins, bool or_none) {
                add_group<OneOfFactor>(graph, kind, inputs, begins, or_none);
            },
            "kind"_a, "inputs"_a, "begins"_a, "or_none"_a)
        .def(
            "add_or",
            [](FactorGraph& graph, const std::string& kind, Inputs inputs, Begins begins) {
                add_group<OrFactor>(graph, kind, inputs, begins);
            },
            "kind"_a, "inputs"_a, "begins"_a)
        .def(
            "add_or_with_output",
            [](FactorGraph& graph, const std::string& kind, Inputs inputs, Begins begins) {
                add_group<OrWithOutputFactor>(graph, kind, inputs, begins);
            },
            "kind"_a, "inputs"_a, "begins"_a)
        .def(
            "add_at_most",
            [](FactorGraph& graph, const std::string& kind, Inputs inputs, Begins begins,
               const Vector<std::int32_t>& limits) {
                add_group<AtMostFactor>(graph, kind, inputs, begins, vector_of(limits));
            },
            "kind"_a, "inputs"_a, "begins"_a, "limits"_a)
        .def(
            "add_choices",
            [](FactorGraph& graph, const std::string& kind, Inputs inputs, Begins begins, bool or_none) {
                add_group<ChoiceFactor>(graph, kind, inputs, begins, or_none);
            },
            "kind"_a, "inputs"_a, "begins"_a, "or_none"_a);
}
