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
          w(arena.take<Number>((n + 1) * ld, Number())),  // whole vectors are read, padding and all
          q(arena.take<Number>((n + 1) * ld, Number())),
          g(arena.take<Number>(ld, Number())),
          factors(arena.take<Number>(n)),
          scratch(arena.take<Number>(Elimination<Number>::scratch_length(n))) {}

    bool solve(bool single_root) { return Elimination<Number>(single_root).solve(w, n, q, g, factors, scratch); }

    int n;
    std::size_t ld;
    Number *w, *q, *g, *factors, *scratch;
};

}  // namespace arbora
