#include "graphs.hpp"

void bind_automata(GraphClass&) {}
