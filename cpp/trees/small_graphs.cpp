#include "trees/small_graph_steps.hpp"

namespace arbora {

ARBORA_VECTORISED bool solve_four(const SmallGraph<double> (&graphs)[4], std::size_t ld, bool single_root) {
    return solve_any<Lanes>(graphs, ld, single_root);
}

}  // namespace arbora
