#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <vector>

#include "checks.hpp"
#include "factors/graph.hpp"

// Factors are added to a graph by methods of arbora._core.FactorGraph, one for each kind; every file of bindings that
// knows kinds adds its own.
using GraphClass = nanobind::class_<arbora::FactorGraph>;
void bind_tree_factors(GraphClass& graph);
void bind_logic_factors(GraphClass& graph);
void bind_soft_factors(GraphClass& graph);
void bind_automata(GraphClass& graph);
void bind_custom_factors(GraphClass& graph);
// How Python's collector looks into a graph; ends with zeros.
extern PyType_Slot graph_slots[];

template <class T>
using Vector = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Inputs as they come from Python: the variable's number, or ~number where it is negated.
inline std::vector<arbora::Input> inputs_of(const Vector<std::int32_t>& numbers) {
    std::vector<arbora::Input> result(numbers.shape(0));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::int32_t number = numbers.data()[i];
        result[i] = number < 0 ? arbora::Input{~number, true} : arbora::Input{number, false};
    }
    return result;
}

template <class T>
std::vector<T> vector_of(const Vector<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

// Factors one after the other: the inputs of factor i are those from begins[i] to begins[i + 1].
inline arbora::Wiring wired(const arbora::FactorGraph& graph, const Vector<std::int32_t>& inputs,
                            const Vector<std::int64_t>& begins) {
    const std::vector<arbora::Input> all = inputs_of(inputs);
    const std::int64_t* begin = begins.data();
    const auto count = static_cast<std::int64_t>(all.size());
    arbora::Wiring wiring;
    if (begins.shape(0) == 0) throw nanobind::value_error("begins: there must be the end at least");
    arbora::expect_between(begin[0], 0, 0, "the first of begins");
    arbora::expect_between(begin[begins.shape(0) - 1], count, count, "the last of begins");
    for (std::size_t i = 0; i + 1 < begins.shape(0); ++i) {
        arbora::expect_between(begin[i + 1], begin[i], count, "begins");
        wiring.add_factor(graph.variables(), {all.data() + begin[i], all.data() + begin[i + 1]});
    }
    return wiring;
}
