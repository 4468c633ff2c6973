#include "graphs.hpp"

void bind_tree_factors(GraphClass&) {}
