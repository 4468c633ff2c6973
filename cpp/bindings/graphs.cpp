// arbora._core.FactorGraph: variables, evidence, groups of factors and their oracles. Groups are added by the files
// that graphs.hpp names.
#include "graphs.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "checks.hpp"
#include "factors/linear_program.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

const FactorGroup& group_of(const FactorGraph& graph, std::size_t group) {
    expect_place(group, graph.groups().size(), "groups");
    return *graph.groups()[group];
}

const FactorGroup& factor_of(const FactorGraph& graph, std::size_t group, std::size_t factor) {
    const FactorGroup& found = group_of(graph, group);
    expect_place(factor, found.size(), "factors of the group");
    return found;
}

// The numbers for the ports of a factor, which must be as many as it has.
const double* numbers_for(const FactorGroup& group, std::size_t factor, const Vector<double>& numbers) {
    expect_length(numbers, group.wiring().port_count(factor), "numbers of ports");
    return numbers.data();
}

Assignment assignment_of(const FactorGraph& graph, const Vector<std::uint8_t>& values) {
    expect_length(values, graph.slots(), "assignment");
    return vector_of(values);
}

TreeRows rows_named(const std::string& name) {
    if (name == "multi-commodity") return TreeRows::multi_commodity;
    if (name == "single-commodity") return TreeRows::single_commodity;
    if (name == "cuts") return TreeRows::heads_only;
    throw nb::value_error("tree rows must be multi-commodity, single-commodity or cuts");
}

nb::dict program_dictionary(const LinearProgram& program) {
    nb::dict result;
    result["costs"] = array_of(program.costs);
    result["lows"] = array_of(program.lows);
    result["highs"] = array_of(program.highs);
    result["row_lows"] = array_of(program.row_lows);
    result["row_highs"] = array_of(program.row_highs);
    result["starts"] = array_of(program.starts);
    result["columns"] = array_of(program.columns);
    result["values"] = array_of(program.values);
    return result;
}

}  // namespace

void bind_graphs(nb::module_& m) {
    GraphClass graph(m, "FactorGraph", nb::type_slots(graph_slots),
                     "Variables and groups of factors. Use arbora.FactorGraph, which checks.");
    graph.def(nb::init<>())
        .def(
            "copy", [](const FactorGraph& graph) { return graph; },
            "The same with evidence of its own; shares the factors.")
        .def(
            "add_binary",
            [](FactorGraph& graph, const Vector<double>& scores) {
                const int first = graph.variables().count();
                for (std::size_t i = 0; i < scores.shape(0); ++i) graph.add_binary(scores.data()[i]);
                return first;
            },
            "scores"_a, "Adds a binary variable for each score; returns the number of the first.")
        .def(
            "add_categories",
            [](FactorGraph& graph,
               const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& scores) {
                const int first = graph.variables().count();
                for (std::size_t i = 0; i < scores.shape(0); ++i)
                    graph.add_category(scores.data() + i * scores.shape(1), static_cast<int>(scores.shape(1)));
                return first;
            },
            "scores"_a, "Adds a categorical variable for each row; returns the number of the first.")
        .def("clamp", &FactorGraph::clamp, "variable"_a, "value"_a)
        .def("release", &FactorGraph::release, "variable"_a)
        .def("evidence", &FactorGraph::evidence, "variable"_a, "The value it is clamped to; -1 if it is not.")
        .def("set_score", &FactorGraph::set_score, "slot"_a, "score"_a)
        .def_prop_ro("variables", [](const FactorGraph& graph) { return graph.variables().count(); })
        .def_prop_ro("slots", &FactorGraph::slots)
        .def_prop_ro("groups", [](const FactorGraph& graph) { return graph.groups().size(); })
        .def(
            "layout",
            [](const FactorGraph& graph) {
                std::vector<int> first, sizes;
                for (int v = 0; v < graph.variables().count(); ++v) {
                    first.push_back(graph.variables().first(v));
                    sizes.push_back(graph.variables().is_category(v) ? graph.variables().size(v) : 0);
                }
                return nb::make_tuple(array_of(first), array_of(sizes));
            },
            "The first slot of each variable, and how many values it has: 0 if it is binary.")
        .def(
            "scores",
            [](const FactorGraph& graph) {
                std::vector<double> scores(graph.slots()), unary(graph.slots());
                for (int slot = 0; slot < graph.slots(); ++slot) {
                    scores[slot] = graph.score(slot);
                    unary[slot] = graph.unary(slot);
                }
                return nb::make_tuple(array_of(scores), array_of(unary));
            },
            "The scores of all slots, and what evidence makes of them.")
        .def_prop_ro("constant", &FactorGraph::constant)
        .def(
            "group",
            [](const FactorGraph& graph, std::size_t group) {
                const FactorGroup& found = group_of(graph, group);
                return nb::make_tuple(found.kind(), found.size(), found.wiring().ports(), found.part_scores().size());
            },
            "group"_a, "Kind, and the numbers of factors, ports and parts.")
        .def(
            "ports",
            [](const FactorGraph& graph, std::size_t group) {
                const FactorGroup& found = group_of(graph, group);
                const Wiring& wiring = found.wiring();
                std::vector<int> slots(wiring.ports());
                std::vector<std::uint8_t> negated(wiring.ports());
                for (std::size_t port = 0; port < wiring.ports(); ++port) {
                    slots[port] = wiring.slot(port);
                    negated[port] = wiring.is_negated(port);
                }
                std::vector<std::int64_t> begins, parts;
                for (std::size_t f = 0; f < wiring.factors(); ++f) {
                    begins.push_back(static_cast<std::int64_t>(wiring.port_begin(f)));
                    parts.push_back(static_cast<std::int64_t>(found.part_begin(f)));
                }
                begins.push_back(static_cast<std::int64_t>(wiring.ports()));
                parts.push_back(static_cast<std::int64_t>(found.part_scores().size()));
                return nb::make_tuple(array_of(slots), array_of(negated), array_of(begins), array_of(parts));
            },
            "group"_a, "Slots and negations of its ports; where the ports and the parts of each factor begin.")
        .def(
            "part_scores",
            [](const FactorGraph& graph, std::size_t group) { return array_of(group_of(graph, group).part_scores()); },
            "group"_a)
        .def(
            "value",
            [](const FactorGraph& graph, const Vector<std::uint8_t>& values) {
                const Assignment assignment = assignment_of(graph, values);
                Arena arena;
                const Unlocked unlocked;
                return graph.value(assignment, arena);
            },
            "assignment"_a, "The score of an assignment; -inf if it is not allowed.")
        .def(
            "sum",
            [](const FactorGraph& graph, std::size_t group, std::size_t factor, const Vector<double>& in) {
                const FactorGroup& found = factor_of(graph, group, factor);
                Arena arena;
                std::vector<double> beliefs(in.shape(0)), parts(found.part_count(factor));
                const double value =
                    found.sum(factor, numbers_for(found, factor, in), beliefs.data(), parts.data(), arena);
                return nb::make_tuple(value, array_of(beliefs), array_of(parts));
            },
            "group"_a, "factor"_a, "given"_a, "The oracle: log-partition, beliefs of ports, probabilities of parts.")
        .def(
            "max",
            [](const FactorGraph& graph, std::size_t group, std::size_t factor, const Vector<double>& in) {
                const FactorGroup& found = factor_of(graph, group, factor);
                Arena arena;
                std::vector<double> beliefs(in.shape(0));
                const double value = found.max(factor, numbers_for(found, factor, in), beliefs.data(), arena);
                return nb::make_tuple(value, array_of(beliefs));
            },
            "group"_a, "factor"_a, "given"_a, "The oracle: best score, max-marginals of ports.")
        .def(
            "best",
            [](const FactorGraph& graph, std::size_t group, std::size_t factor, const Vector<double>& in) {
                const FactorGroup& found = factor_of(graph, group, factor);
                Arena arena;
                Configuration best;
                const double value = found.best(factor, numbers_for(found, factor, in), best, arena);
                return nb::make_tuple(value, best.inner, array_of(best.active));
            },
            "group"_a, "factor"_a, "given"_a, "The oracle: best score, what of it is inner, active ports.")
        .def(
            "project",
            [](const FactorGraph& graph, std::size_t group, std::size_t factor, const Vector<double>& a,
               double penalty) {
                const FactorGroup& found = factor_of(graph, group, factor);
                Arena arena;
                ActiveSet cache;
                std::vector<double> z(a.shape(0));
                const bool possible =
                    found.project(factor, numbers_for(found, factor, a), penalty, z.data(), cache, arena);
                return nb::make_tuple(possible, array_of(z));
            },
            "group"_a, "factor"_a, "a"_a, "penalty"_a, "The oracle: whether anything is possible, and the projection.")
        .def(
            "polytope",
            [](const FactorGraph& graph, std::size_t group, std::size_t factor, const std::string& tree_rows) {
                const FactorGroup& found = factor_of(graph, group, factor);
                return program_dictionary(factor_program(found, factor, rows_named(tree_rows)));
            },
            "group"_a, "factor"_a, "tree_rows"_a,
            "The oracle: its rows as a linear program over its ports and then its own columns.")
        .def(
            "configuration",
            [](const FactorGraph& graph, std::size_t group, std::size_t factor, const std::vector<int>& active) {
                const FactorGroup& found = factor_of(graph, group, factor);
                for (int port : active) expect_between(port, 0, found.wiring().port_count(factor) - 1, "active");
                Arena arena;
                std::vector<double> parts(found.part_count(factor), 0.0);
                const double score = found.score(factor, active, arena);
                if (score != -INFINITY) found.add_parts(factor, active, 1.0, parts.data(), arena);
                return nb::make_tuple(score, array_of(parts));
            },
            "group"_a, "factor"_a, "active"_a, "The inner score of a configuration, and how often it has each part.")
        .def(
            "linear_program",
            [](const FactorGraph& graph, const std::string& tree_rows) {
                return program_dictionary(linear_program(graph, rows_named(tree_rows)));
            },
            "tree_rows"_a, "The whole graph as a linear program: a column for each slot, then those of the factors.");
    graph.def(
        "violated_rows",
        [](const FactorGraph& graph, const Vector<double>& values) {
            expect_length(values, graph.slots(), "values");
            return program_dictionary(violated_rows(graph, values.data()));
        },
        "values"_a, "Rows that a solution of the linear program with cuts violates.");
    bind_tree_factors(graph);
    bind_logic_factors(graph);
    bind_soft_factors(graph);
    bind_automata(graph);
    bind_custom_factors(graph);
}
