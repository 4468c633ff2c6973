#include "graphs.hpp"

void bind_logic_factors(GraphClass&) {}
