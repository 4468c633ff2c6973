#pragma once
#include <cstddef>

#include "support/arena.hpp"
#include "trees/elimination.hpp"

namespace arbora {

// A graph of n tokens in an arena, and what Elimination finds out about it.
template <class Number>
struct Solved {
    Solved(int n, Arena& arena)
        : n(n),
          ld(Elimination<Number>::row_length(n)),
          w(take_cells<Number>(arena, (n + 1) * ld)),
          q(take_cells<Number>(arena, (n + 1) * ld)),
          g(take_cells<Number>(arena, ld)),
          factors(arena.take<Number>(n)),
          scratch(take_cells<Number>(arena, Elimination<Number>::scratch_length(n))) {
        // whole vectors are read, padding and all
        set_to_zero(w, (n + 1) * ld);
        set_to_zero(q, (n + 1) * ld);
        set_to_zero(g, ld);
    }

    bool solve(bool single_root) { return Elimination<Number>(single_root).solve(w, n, q, g, factors, scratch); }

    int n;
    std::size_t ld;
    Cells<Number> w, q, g;
    Number* factors;
    Cells<Number> scratch;
};

}  // namespace arbora
