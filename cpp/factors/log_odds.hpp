#pragma once
#include <cmath>

namespace arbora {

// What a binary port gives to a configuration that has it true, and to one that has it false, by its `in`: where that
// is +inf it is always true, which costs nothing.
inline double if_true(double in) { return in == INFINITY ? 0 : in; }
inline double if_false(double in) { return in == INFINITY ? -INFINITY : 0; }

}  // namespace arbora
