#include "solvers/incumbent.hpp"

#include <cmath>

#include "solvers/climb.hpp"
#include "solvers/completion.hpp"
#include "support/interruption.hpp"

namespace arbora {

Incumbent::Incumbent(const Copies& copies, Derivation derive)
    : copies_(copies),
      derive_(std::move(derive)),
      candidate_(copies.graph().slots(), 0),
      factor_scores_(copies.factors(), 0.0),
      is_stale_(copies.factors(), 1),
      stale_(copies.factors()) {
    for (int factor = 0; factor < copies.factors(); ++factor) stale_[factor] = factor;
    Assignment alone(candidate_);
    for (int v = 0; v < copies.graph().variables().count(); ++v) decide_alone(copies.graph(), v, alone);
    for (int slot = 0; slot < copies.graph().slots(); ++slot) set(slot, alone[slot]);
}

void Incumbent::consider(const Decoding& decoding) {
    const Variables& variables = copies_.graph().variables();
    if (!has_decided_) {
        for (int v = 0; v < variables.count(); ++v)
            if (copies_.degree(variables.first(v))) decide(v, decoding);
        has_decided_ = true;
    } else {
        for (int slot : decoding.touched()) decide(copies_.variable_of(slot), decoding);
    }
    derive();
    evaluate();
}

void Incumbent::consider(const std::vector<double>& beliefs) {
    const Variables& variables = copies_.graph().variables();
    for (int v = 0; v < variables.count(); ++v) {
        const int first = variables.first(v);
        if (variables.is_category(v)) {
            int best = first;
            for (int slot = first; slot < first + variables.size(v); ++slot)
                if (beliefs[slot] > beliefs[best]) best = slot;
            set_value(v, best);
        } else {
            set(first, beliefs[first] > 0.5);
        }
    }
    has_decided_ = false;
    derive();
    evaluate();
}

void Incumbent::derive() {
    if (!derive_) return;
    Assignment derived = candidate_;
    derive_(derived);
    for (int slot = 0; slot < copies_.graph().slots(); ++slot) set(slot, derived[slot]);
}

void Incumbent::repair(const std::vector<double>& preferences) {
    Assignment completed(candidate_.size(), 0);
    if (complete(copies_, preferences, completed, arena_)) keep(completed);
}

void Incumbent::improve() {
    if (assignment_.empty()) return;
    Assignment improved = assignment_;
    climb(copies_.graph(), improved, value_, arena_);
    keep(improved);
}

void Incumbent::decide(int variable, const Decoding& decoding) {
    const FactorGraph& graph = copies_.graph();
    const int first = graph.variables().first(variable), size = graph.variables().size(variable);
    if (!graph.variables().is_category(variable)) {
        const int structure = copies_.structure_port(first);
        const int twice = 2 * decoding.count_true(first), degree = copies_.degree(first);
        set(first, structure >= 0 ? decoding.is_true(structure)
                                  : twice > degree || (twice == degree && graph.unary(first) > 0));
        return;
    }
    const auto support = [&](int slot) {
        const int structure = copies_.structure_port(slot);
        return structure >= 0 ? decoding.is_true(structure) : decoding.count_true(slot);
    };
    int best = first;
    for (int slot = first + 1; slot < first + size; ++slot) {
        const int lead = support(slot) - support(best);
        if (lead > 0 || (lead == 0 && graph.unary(slot) > graph.unary(best))) best = slot;
    }
    set_value(variable, best);
}

void Incumbent::set_value(int variable, int true_slot) {
    const Variables& variables = copies_.graph().variables();
    const int first = variables.first(variable);
    for (int slot = first; slot < first + variables.size(variable); ++slot) set(slot, slot == true_slot);
}

void Incumbent::set(int slot, bool is_true) {
    if (static_cast<bool>(candidate_[slot]) == is_true) return;
    candidate_[slot] = is_true;
    const double score = copies_.graph().score(slot);
    if (copies_.graph().unary(slot) == -INFINITY)
        impossible_ += is_true ? 1 : -1;
    else
        unary_ += is_true ? score : -score;
    for (int port : copies_.ports_of(slot)) {
        const int factor = copies_.factor_of(port);
        if (is_stale_[factor]) continue;
        is_stale_[factor] = 1;
        stale_.push_back(factor);
    }
}

void Incumbent::evaluate() {
    if (stale_.empty() && !assignment_.empty()) return;
    for (int factor : stale_) {
        Interruption::heed();
        is_stale_[factor] = 0;
        active_.clear();
        for (int port = copies_.port_begin(factor); port < copies_.port_end(factor); ++port)
            if (static_cast<bool>(candidate_[copies_.slot(port)]) != copies_.is_negated(port))
                active_.push_back(port - copies_.port_begin(factor));
        const double score = copies_.group(factor).score(copies_.number_in_group(factor), active_, arena_);
        double& known = factor_scores_[factor];
        if (known == -INFINITY)
            --impossible_;
        else
            factors_ -= known;
        if (score == -INFINITY)
            ++impossible_;
        else
            factors_ += score;
        known = score;
    }
    stale_.clear();
    if (impossible_ == 0 && (unary_ + factors_ > value_ || assignment_.empty())) keep(candidate_);
}

void Incumbent::keep(const Assignment& assignment) {
    // From scratch, as sums of differences carry their rounding along.
    const double value = copies_.graph().value(assignment, arena_);
    if (!(value > value_) || value == INFINITY) return;
    value_ = value;
    assignment_ = assignment;
}

std::vector<std::vector<double>> parts_of(const FactorGraph& graph, const Assignment& assignment, Arena& arena) {
    std::vector<std::vector<double>> result;
    std::vector<int> active;
    for (const auto& group : graph.groups()) {
        std::vector<double>& parts = result.emplace_back(group->part_scores().size(), 0.0);
        if (parts.empty()) continue;
        for (std::size_t factor = 0; factor < group->size(); ++factor) {
            FactorGraph::active_ports(*group, factor, assignment, active);
            group->add_parts(factor, active, 1.0, parts.data() + group->part_begin(factor), arena);
        }
    }
    return result;
}

}  // namespace arbora
