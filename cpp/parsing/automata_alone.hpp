#pragma once
#include "parts/part_graph.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

// The best of the outer set Z (Koo et al. 2010, sections 3, 5 and 6): every head chooses its modifiers by its own automaton,
// whatever the others choose, and, where automata see grandparents, a head of its own for that. Words may have no head or
// several, arcs may make circles, and the head that an automaton sees need not be one that has chosen it; but no automaton
// takes a modifier that is its grandparent, as when parsing. An arc scores where it is taken as a modifier.
//
// One pass over the automata, exact: the graph must have been made without a constraint, joined. `beliefs` of the outcome
// are 1 for arcs that are taken, `parts` those of the automata, and `value` is attained. Throws std::invalid_argument if
// there are parts that no automaton sees.
Outcome best_of_automata(const PartGraph& graph, Arena& arena);

}  // namespace arbora
