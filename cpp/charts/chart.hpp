#pragma once
#include <concepts>

namespace arbora {

// One equation of a chart: item = plus over k < count of values[left + k] times values[right + k]. Operands run along
// memory; an item that is needed along two directions has a second place, its `mirror` (-1 if none), which decodes to
// the same equation. An item without an equation (count 0) is a leaf: a given value.
struct Equation {
    int item, left, right, count, mirror = -1;
};

// A chart is a list of equations, one per item, that can be visited from the leaves up and from the goal down.
// What is computed (best, sum, probabilities, samples, k-best) is generic over the chart; see algorithms.hpp.
template <class C>
concept Chart = requires(const C chart, void (*visit)(const Equation&), int item) {
    { chart.item_count() } -> std::same_as<int>;
    { chart.goal() } -> std::same_as<int>;
    { chart.equation(item) } -> std::same_as<Equation>;
    chart.bottom_up(visit);
    chart.top_down(visit);
};

}  // namespace arbora
