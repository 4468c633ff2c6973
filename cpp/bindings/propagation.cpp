#include "bindings.hpp"

void bind_propagation(nanobind::module_&) {}
