// What the bindings of span parsers share.
#pragma once
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "outcomes.hpp"
#include "spans/training.hpp"

namespace arbora {

using NodeArray = Array<const int, 2>;
// The threshold, and how many nodes stay for each word.
using PruningPair = std::tuple<double, int>;

inline Pruning pruning_of(const PruningPair& pair) {
    if (!(std::get<0>(pair) >= 0) || std::get<1>(pair) < 0) throw nanobind::value_error("pruning must not be negative");
    return {std::get<0>(pair), std::get<1>(pair)};
}

static_assert(sizeof(SpanNode) == 3 * sizeof(int));
inline const SpanNode* nodes_of(const NodeArray& array) { return reinterpret_cast<const SpanNode*>(array.data()); }

// That a node could be in a chart of n words.
inline void check_node(const SpanGrammar& grammar, int n, const SpanNode& node) {
    expect_between(node.start, 0, n - 1, "starts of nodes");
    expect_between(node.end, node.start + 1, n, "ends of nodes");
    const int words = node.end - node.start;
    expect_between(node.symbol, grammar.first_symbol(words), grammar.last_symbol(words, words == n) - 1,
                   "symbols of nodes");
}

// Any nodes of n words.
inline std::vector<SpanNode> checked_nodes(const SpanGrammar& grammar, int n, const NodeArray& array) {
    expect_shape(array, {array.shape(0), 3}, "nodes");
    std::vector<SpanNode> nodes(nodes_of(array), nodes_of(array) + array.shape(0));
    for (const SpanNode& node : nodes) check_node(grammar, n, node);
    return nodes;
}

// The gold nodes of a text: their number, and that every one could be in a chart, is checked once for all.
inline const SpanNode* gold_of(const SpanGrammar& grammar, const SpanText& text, const NodeArray& array) {
    expect_shape(array, {text.first_node(text.sentences()), 3}, "gold");  // 2n - 1 nodes for n words
    for (std::size_t s = 0; s < text.sentences(); ++s)
        for (std::size_t i = text.first_node(s); i < text.first_node(s + 1); ++i)
            check_node(grammar, text.sentence(s).count(), nodes_of(array)[i]);
    return nodes_of(array);
}

inline nanobind::object array_of_nodes(const std::vector<SpanNode>& nodes) {
    int* data;
    auto array = new_array<int, 2>({nodes.size(), 3}, data);
    for (const SpanNode& node : nodes) {
        *data++ = node.start;
        *data++ = node.end;
        *data++ = node.symbol;
    }
    return nanobind::cast(array);
}

void bind_span_models(nanobind::module_& m);

}  // namespace arbora
