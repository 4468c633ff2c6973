#pragma once
#include <cstddef>

namespace arbora {

// Whether a number that is finite is above the limit or below its negative.
bool any_beyond(const double* numbers, std::size_t count, double limit);

}  // namespace arbora
