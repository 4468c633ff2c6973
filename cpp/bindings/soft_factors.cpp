// Soft factors without automata: pairs, conditions, tables, counts, tags, crossings.
#include "factors/and_any.hpp"
#include "factors/counts.hpp"
#include "factors/no_cross.hpp"
#include "factors/pairs.hpp"
#include "factors/table.hpp"
#include "factors/tag_chain.hpp"
#include "factors/tag_link.hpp"
#include "graphs.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arbora;

namespace {

// Factors of so many inputs each, in a row.
Wiring wiring_of(const FactorGraph& graph, const Vector<std::int32_t>& numbers, std::size_t arity) {
    const std::vector<Input> inputs = inputs_of(numbers);
    if (arity == 0 || inputs.size() % arity) throw nb::value_error("every factor must have as many variables");
    Wiring wiring;
    for (std::size_t i = 0; i < inputs.size(); i += arity)
        wiring.add_factor(graph.variables(), {inputs.data() + i, arity});
    return wiring;
}

void add_no_cross(FactorGraph& graph, const Vector<std::int32_t>& arcs, const Vector<std::int32_t>& heads,
                  const Vector<std::int32_t>& modifiers, int words, const Vector<double>& scores) {
    const std::vector<Input> inputs = inputs_of(arcs);
    expect_length(heads, inputs.size(), "heads");
    expect_length(modifiers, inputs.size(), "modifiers");
    std::vector<CandidateArc> candidates;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        candidates.push_back({inputs[i], heads.data()[i], modifiers.data()[i]});
    graph.add(std::make_shared<NoCross>(graph.variables(), std::move(candidates), words, vector_of(scores)));
}

}  // namespace

void bind_soft_factors(GraphClass& graph) {
    graph
        .def(
            "add_pairs",
            [](FactorGraph& graph, const Vector<std::int32_t>& inputs, const Vector<double>& scores) {
                graph.add(std::make_shared<Pairs>(wiring_of(graph, inputs, 2), vector_of(scores)));
            },
            "inputs"_a, "scores"_a, "Adds a factor for every two inputs.")
        .def(
            "add_and_any",
            [](FactorGraph& graph, const Vector<std::int32_t>& inputs, const Vector<std::int64_t>& begins,
               const Vector<double>& scores) {
                graph.add(std::make_shared<AndAny>(wired(graph, inputs, begins), vector_of(scores)));
            },
            "inputs"_a, "begins"_a, "scores"_a, "Adds factors, each with a condition before its inputs.")
        .def(
            "add_tables",
            [](FactorGraph& graph, const Vector<std::int32_t>& inputs, std::size_t arity,
               const Vector<double>& scores) {
                graph.add(std::make_shared<Table>(wiring_of(graph, inputs, arity), vector_of(scores)));
            },
            "inputs"_a, "arity"_a, "scores"_a, "Adds a factor for every `arity` inputs, with the cells of its table.")
        .def(
            "add_counts",
            [](FactorGraph& graph, const Vector<std::int32_t>& inputs, const Vector<std::int64_t>& begins, int width,
               const Vector<double>& scores) {
                graph.add(std::make_shared<Counts>(wired(graph, inputs, begins), width, vector_of(scores)));
            },
            "inputs"_a, "begins"_a, "width"_a, "scores"_a,
            "Adds a factor for each beginning, with so many scores each.")
        .def(
            "add_tag_chain",
            [](FactorGraph& graph, const Vector<std::int32_t>& tags, const Vector<double>& bigrams,
               const Vector<double>& trigrams) {
                graph.add(std::make_shared<TagChain>(wiring_of(graph, tags, tags.shape(0)), vector_of(bigrams),
                                                     vector_of(trigrams)));
            },
            "tags"_a, "bigrams"_a, "trigrams"_a, "Adds one factor over all tags; without trigrams if there are none.")
        .def(
            "add_tag_links",
            [](FactorGraph& graph, const Vector<std::int32_t>& inputs, const Vector<double>& scores) {
                graph.add(std::make_shared<TagLink>(wiring_of(graph, inputs, 3), vector_of(scores)));
            },
            "inputs"_a, "scores"_a, "Adds a factor for every three inputs: a link and two tags.")
        .def("add_no_cross", &add_no_cross, "arcs"_a, "heads"_a, "modifiers"_a, "words"_a, "scores"_a,
             "Adds a factor for every two words, over the arcs into them.");
}
