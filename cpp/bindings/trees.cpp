#include "bindings.hpp"

void bind_trees(nanobind::module_& m) { (void)m; }
