#include "support/limits.hpp"

#include <cmath>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {

ARBORA_VECTORISED bool any_beyond(const double* numbers, std::size_t count, double limit) {
    const auto is_beyond = [=](auto x) ARBORA_INLINED {
        return ((x > limit) | (x < -limit)) & (x < INFINITY) & (x > -INFINITY);
    };
    LaneBits found{};
    std::size_t i = 0;
    for (; i + lane_count <= count; i += lane_count) found |= is_beyond(load(numbers + i));
    bool any = !none_of(found);
    for (; i < count; ++i) any |= is_beyond(numbers[i]);
    return any;
}

}  // namespace arbora
