#include "graphs.hpp"

void bind_soft_factors(GraphClass&) {}
