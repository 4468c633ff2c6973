#include "bindings.hpp"

void bind_relaxation(nanobind::module_&) {}
