#include "trees/small_graph_steps.hpp"

namespace arbora {

ARBORA_VECTORISED bool solve_four(const SmallGraph<Wide> (&graphs)[4], std::size_t ld, bool single_root) {
    return solve_any<WideLanes>(graphs, ld, single_root);
}

}  // namespace arbora
