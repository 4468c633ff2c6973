// What the bindings of span parsers share.
#pragma once
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
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

// The gold nodes of a text: their number, and that every one could be in a chart, is checked once for all.
inline const SpanNode* gold_of(const SpanGrammar& grammar, const SpanText& text, const NodeArray& array) {
    if (array.shape(1) != 3 || array.shape(0) != text.first_node(text.sentences()))
        throw nanobind::value_error("every sentence of n words needs 2n - 1 nodes");
    for (std::size_t s = 0; s < text.sentences(); ++s)
        for (std::size_t i = text.first_node(s); i < text.first_node(s + 1); ++i) {
            const SpanNode& node = nodes_of(array)[i];
            const int n = text.sentence(s).count(), words = node.end - node.start;
            if (node.start < 0 || words < 1 || node.end > n || node.symbol < grammar.first_symbol(words) ||
                node.symbol >= grammar.last_symbol(words, words == n))
                throw nanobind::value_error("some node is none");
        }
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
