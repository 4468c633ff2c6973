#include "bindings.hpp"

void bind_treebank(nanobind::module_& m) { (void)m; }
