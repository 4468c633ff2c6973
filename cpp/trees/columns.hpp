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

}  // namespace arbora
