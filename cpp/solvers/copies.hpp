#pragma once
#include <span>
#include <vector>

#include "factors/graph.hpp"

namespace arbora {

// All factors of a graph in one row. Each port is a *copy* of the slot behind it: decompositions solve every factor on
// its own copies and make them agree.
class Copies {
public:
    explicit Copies(const FactorGraph& graph);

    const FactorGraph& graph() const { return graph_; }
    int factors() const { return static_cast<int>(factor_begins_.size()) - 1; }
    int ports() const { return factor_begins_.back(); }

    // The factors of a group are [group_begin(g), group_begin(g + 1)).
    int group_begin(std::size_t group) const { return group_begins_[group]; }
    int group_of(int factor) const { return group_of_[factor]; }
    const FactorGroup& group(int factor) const { return *graph_.groups()[group_of_[factor]]; }
    std::size_t number_in_group(int factor) const { return factor - group_begins_[group_of_[factor]]; }
    bool is_structure(int factor) const { return group(factor).is_structure(); }

    int port_begin(int factor) const { return factor_begins_[factor]; }
    int port_end(int factor) const { return factor_begins_[factor + 1]; }

    int slot(int port) const { return slots_[port]; }
    bool is_negated(int port) const { return negated_[port]; }
    int factor_of(int port) const { return factor_of_[port]; }
    bool has_negations(int factor) const { return group(factor).wiring().has_negations(); }

    // The copies of a slot.
    std::span<const int> ports_of(int slot) const {
        return {ports_of_.data() + slot_begins_[slot], ports_of_.data() + slot_begins_[slot + 1]};
    }
    int degree(int slot) const { return slot_begins_[slot + 1] - slot_begins_[slot]; }
    int variable_of(int slot) const { return variable_of_[slot]; }
    // The copy that a structure has, the first if there are several; -1 if none has.
    int structure_port(int slot) const { return structure_ports_[slot]; }

    // Neither evidence nor a score of -inf decides it.
    bool is_free(int slot) const { return std::isfinite(graph_.unary(slot)); }

    // A number for a copy, from one about the slot: what a log-odds of the slot is behind a negation.
    double as_port_sees(int port, double log_odds) const { return negated_[port] ? -log_odds : log_odds; }

    // A share of its slot's unary score for every copy, as its port sees it. Where structures and other factors see a
    // slot, the structures get `beta` of it together and the others the rest; else all get the same.
    std::vector<double> shares(double beta) const;
    std::vector<double> equal_shares() const;

    // What the variables give that no factor sees, and the evidence; -inf if one of them has no value that is possible.
    double outside() const;

    // How large scores are: the mean size of those that are neither infinite nor 0; 1 if there are none.
    double typical_score() const;

private:
    const FactorGraph& graph_;
    std::vector<int> group_begins_{0}, group_of_, factor_begins_{0};
    std::vector<int> slots_, factor_of_, slot_begins_, ports_of_, variable_of_, structure_ports_;
    std::vector<char> negated_;
};

// Decides a variable that no factor sees: the value with the highest score.
void decide_alone(const FactorGraph& graph, int variable, Assignment& assignment);

}  // namespace arbora
