#include "factors/graph.hpp"

#include <cmath>
#include <stdexcept>

namespace arbora {
namespace {

double checked(double score) {
    if (std::isnan(score) || score == INFINITY)
        throw std::invalid_argument("a score is nan or +inf; evidence makes a variable certain");
    return score;
}

}  // namespace

int FactorGraph::add_binary(double score) {
    scores_.push_back(checked(score));
    unary_.push_back(score);
    evidence_.push_back(-1);
    return variables_.add_binary();
}

int FactorGraph::add_category(const double* scores, int values) {
    if (values < 1) throw std::invalid_argument("a category needs at least one value");
    for (int i = 0; i < values; ++i) scores_.push_back(checked(scores[i]));
    unary_.insert(unary_.end(), scores, scores + values);
    evidence_.push_back(-1);
    return variables_.add_category(values);
}

void FactorGraph::clamp(int variable, int value) {
    if (variable < 0 || variable >= variables_.count()) throw std::invalid_argument("there is no such variable");
    const int values = variables_.is_category(variable) ? variables_.size(variable) : 2;
    if (value < 0 || value >= values) throw std::invalid_argument("the variable has no such value");
    evidence_[variable] = value;
    set_unary(variable);
}

void FactorGraph::release(int variable) {
    if (variable < 0 || variable >= variables_.count()) throw std::invalid_argument("there is no such variable");
    evidence_[variable] = -1;
    set_unary(variable);
}

void FactorGraph::set_score(int slot, double score) {
    if (slot < 0 || slot >= slots()) throw std::invalid_argument("there is no such slot");
    scores_[slot] = checked(score);
    int variable = 0;
    while (variables_.first(variable) + variables_.size(variable) <= slot) ++variable;
    set_unary(variable);
}

void FactorGraph::set_unary(int variable) {
    const int first = variables_.first(variable), known = evidence_[variable];
    for (int i = 0; i < variables_.size(variable); ++i) {
        double& unary = unary_[first + i];
        unary = scores_[first + i];
        if (known < 0) continue;
        if (variables_.is_category(variable)) {
            if (i != known) unary = -INFINITY;
        } else {
            unary = known && scores_[first] != -INFINITY ? INFINITY : -INFINITY;
        }
    }
}

double FactorGraph::constant() const {
    double total = 0;
    for (int v = 0; v < variables_.count(); ++v)
        if (evidence_[v] == 1 && !variables_.is_category(v)) total += scores_[variables_.first(v)];
    return total;
}

std::vector<int> FactorGraph::degrees() const {
    std::vector<int> result(slots(), 0);
    for (const auto& group : groups_)
        for (std::size_t port = 0; port < group->wiring().ports(); ++port) ++result[group->wiring().slot(port)];
    return result;
}

void FactorGraph::active_ports(const FactorGroup& group, std::size_t factor, const Assignment& assignment,
                               std::vector<int>& active) {
    const Wiring& wiring = group.wiring();
    active.clear();
    for (std::size_t port = wiring.port_begin(factor); port < wiring.port_end(factor); ++port)
        if (static_cast<bool>(assignment[wiring.slot(port)]) != wiring.is_negated(port))
            active.push_back(static_cast<int>(port - wiring.port_begin(factor)));
}

double FactorGraph::factor_value(std::size_t group, std::size_t factor, const Assignment& assignment,
                                 Arena& arena) const {
    std::vector<int> active;
    active_ports(*groups_[group], factor, assignment, active);
    return groups_[group]->score(factor, active, arena);
}

double FactorGraph::value(const Assignment& assignment, Arena& arena) const {
    double total = 0;
    for (int v = 0; v < variables_.count(); ++v) {
        const int first = variables_.first(v);
        int active = 0;
        for (int slot = first; slot < first + variables_.size(v); ++slot) {
            if (!assignment[slot]) continue;
            ++active;
            total += scores_[slot];
            if (unary_[slot] == -INFINITY) return -INFINITY;
        }
        if (variables_.is_category(v) ? active != 1 : (evidence_[v] == 1 && !active)) return -INFINITY;
    }
    std::vector<int> active;
    for (const auto& group : groups_)
        for (std::size_t factor = 0; factor < group->size(); ++factor) {
            active_ports(*group, factor, assignment, active);
            const double score = group->score(factor, active, arena);
            if (score == -INFINITY) return -INFINITY;
            total += score;
        }
    return total;
}

}  // namespace arbora
