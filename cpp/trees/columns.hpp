#pragma once
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
