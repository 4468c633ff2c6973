#pragma once
#include <concepts>

namespace arbora {

// One equation of a chart: item = plus over k < count of values[left + k * left_step] times
// values[right + k * right_step]. An item without an equation (count 0) is a leaf: a given value.
struct Equation {
    int item, left, left_step, right, right_step, count;

    int left_tail(int k) const { return left + k * left_step; }
    int right_tail(int k) const { return right + k * right_step; }
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
