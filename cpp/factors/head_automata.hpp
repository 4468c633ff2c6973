#pragma once
#include <vector>

#include "factors/factor_group.hpp"

namespace arbora {

// Automata that read the modifiers of a head on one side (Koo et al. 2010, section 3, with any finite set of states): a
// factor for each head and side. Its inputs are the candidate modifiers there, from the head outwards. The automaton
// begins in some state, takes a modifier by a transition or passes it by, which leaves the state as it is, and ends in
// some state. A configuration is the modifiers that are taken together with the states: `sum` sums over all paths of
// states, `max`, `best` and `score` go by the best. Its parts, for p modifiers and S states, are the states to begin
// with (S), those to end with (S), and the transitions: for each modifier, from each state, to each state (p S^2).
// Every oracle takes O(p S^2).
class HeadAutomata : public FactorGroup {
public:
    struct Automaton;

    // The number of states of each factor's automaton, and the scores of all parts, factor after factor.
    HeadAutomata(Wiring wiring, std::vector<int> states, std::vector<double> scores);

    const char* kind() const override { return "HeadAutomata"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    Automaton automaton(std::size_t factor) const;

    std::vector<int> states_;
};

}  // namespace arbora
