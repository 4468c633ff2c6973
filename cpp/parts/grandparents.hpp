#pragma once
#include "linear/part_features.hpp"

namespace arbora {

Part grandparent_part(int grandparent, int head, int modifier);

}  // namespace arbora
