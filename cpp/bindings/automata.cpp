// Groups of factors on the modifiers of a head. `inputs` are numbers of variables (~number: negated), those of factor i
// from begins[i] to begins[i + 1]; scores follow each other as the parts of the kind do.
#include "factors/child_sequences.hpp"
#include "factors/child_trigrams.hpp"
#include "factors/grand_siblings.hpp"
#include "factors/head_automata.hpp"
#include "graphs.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arbora;

void bind_automata(GraphClass& graph) {
    using Inputs = const Vector<std::int32_t>&;
    using Begins = const Vector<std::int64_t>&;
    using Counts = const Vector<std::int32_t>&;
    using Scores = const Vector<double>&;
    graph
        .def(
            "add_child_sequences",
            [](FactorGraph& graph, Inputs inputs, Begins begins, Scores scores) {
                graph.add(std::make_shared<ChildSequences>(wired(graph, inputs, begins), vector_of(scores)));
            },
            "inputs"_a, "begins"_a, "scores"_a)
        .def(
            "add_child_trigrams",
            [](FactorGraph& graph, Inputs inputs, Begins begins, Scores scores) {
                graph.add(std::make_shared<ChildTrigrams>(wired(graph, inputs, begins), vector_of(scores)));
            },
            "inputs"_a, "begins"_a, "scores"_a)
        .def(
            "add_grand_siblings",
            [](FactorGraph& graph, Inputs inputs, Begins begins, Counts grandparents, Counts left, Scores scores) {
                graph.add(std::make_shared<GrandSiblings>(wired(graph, inputs, begins), vector_of(grandparents),
                                                          vector_of(left), vector_of(scores)));
            },
            "inputs"_a, "begins"_a, "grandparents"_a, "left"_a, "scores"_a)
        .def(
            "add_head_automata",
            [](FactorGraph& graph, Inputs inputs, Begins begins, Counts states, Scores scores) {
                graph.add(
                    std::make_shared<HeadAutomata>(wired(graph, inputs, begins), vector_of(states), vector_of(scores)));
            },
            "inputs"_a, "begins"_a, "states"_a, "scores"_a);
}
