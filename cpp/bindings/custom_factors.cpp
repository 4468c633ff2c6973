#include "graphs.hpp"

void bind_custom_factors(GraphClass&) {}
