#include "support/wide_lanes.hpp"

namespace arbora {

const double WideLanes::Top::lowest[lane_count] = {0x1p52 + 23, 0x1p52 + 23, 0x1p52 + 23, 0x1p52 + 23};

}  // namespace arbora
