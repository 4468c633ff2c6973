#pragma once
#include <type_traits>
#include <utility>

#include "support/lanes.hpp"

namespace arbora {

// Calls body(first) for every four of the columns [begin, width); the last four may overlap with those before, and if
// there are fewer than four in all, tail(column) is called for each.
template <class Body, class Tail>
ARBORA_INLINE void for_columns(int begin, int width, Body body, Tail tail) {
    if (width - begin < lane_count) {
        for (int m = begin; m < width; ++m) tail(m);
        return;
    }
    for (int m = begin; m + lane_count <= width; m += lane_count) body(m);
    if ((width - begin) % lane_count) body(width - lane_count);
}

// body(column, vectors) over the columns [begin, end), `most` vectors at a time and then what is left.
template <int most, class Body>
ARBORA_INLINE void for_blocks(int begin, int end, Body body) {
    int column = begin;
    for (; column + (most - 1) * lane_count < end; column += most * lane_count)
        body(column, std::integral_constant<int, most>());
    // The same for fewer and fewer; unrolled by the compiler.
    [&]<int... fewer>(std::integer_sequence<int, fewer...>) ARBORA_INLINED {
        const int rest = (end - column + lane_count - 1) / lane_count;
        ((rest == most - 1 - fewer ? body(column, std::integral_constant<int, most - 1 - fewer>()) : void()), ...);
    }(std::make_integer_sequence<int, most - 1>());
}

// The largest of each of four columns, the second, and the row of the largest: of two that are equal, the first is the
// largest and the other the second. at(row) gives the four.
struct TopTwo {
    Lanes largest, second;
    LaneBits top;
};
template <class At>
ARBORA_INLINE TopTwo find_top_two(int rows, At at) {
    const Lanes none = all_lanes(-std::numeric_limits<double>::infinity());
    TopTwo found{none, none, {}};
    for (int row = 0; row < rows; ++row) {
        const Lanes x = at(row);
        const LaneBits is_larger = x > found.largest;
        found.second = larger(is_larger ? found.largest : x, found.second);
        found.largest = is_larger ? x : found.largest;
        found.top = is_larger ? LaneBits{} + row : found.top;
    }
    return found;
}

}  // namespace arbora
