#include "solvers/copies.hpp"

#include <algorithm>
#include <cmath>

namespace arbora {

Copies::Copies(const FactorGraph& graph)
    : graph_(graph),
      slot_begins_(graph.slots() + 1, 0),
      variable_of_(graph.slots()),
      structure_ports_(graph.slots(), -1) {
    for (std::size_t g = 0; g < graph.groups().size(); ++g) {
        const Wiring& wiring = graph.groups()[g]->wiring();
        const int offset = ports();
        for (std::size_t f = 0; f < wiring.factors(); ++f) {
            group_of_.push_back(static_cast<int>(g));
            for (std::size_t port = wiring.port_begin(f); port < wiring.port_end(f); ++port) {
                slots_.push_back(wiring.slot(port));
                negated_.push_back(wiring.is_negated(port));
                factor_of_.push_back(factors());
            }
            factor_begins_.push_back(offset + static_cast<int>(wiring.port_end(f)));
        }
        group_begins_.push_back(factors());
    }
    for (int slot : slots_) ++slot_begins_[slot + 1];
    for (int slot = 0; slot < graph.slots(); ++slot) slot_begins_[slot + 1] += slot_begins_[slot];
    ports_of_.resize(slots_.size());
    std::vector<int> next(slot_begins_.begin(), slot_begins_.end() - 1);
    for (int port = 0; port < ports(); ++port) {
        const int slot = slots_[port];
        ports_of_[next[slot]++] = port;
        if (structure_ports_[slot] < 0 && is_structure(factor_of_[port])) structure_ports_[slot] = port;
    }
    const Variables& variables = graph.variables();
    for (int v = 0; v < variables.count(); ++v)
        std::fill_n(variable_of_.begin() + variables.first(v), variables.size(v), v);
}

std::vector<double> Copies::equal_shares() const {
    std::vector<double> result(slots_.size());
    for (int port = 0; port < ports(); ++port) {
        const double unary = graph_.unary(slots_[port]);
        result[port] = as_port_sees(port, unary / degree(slots_[port]));  // infinity stays what it is
    }
    return result;
}

std::vector<double> Copies::shares(double beta) const {
    std::vector<double> result = equal_shares();
    for (int slot = 0; slot < graph_.slots(); ++slot) {
        const int all = degree(slot);
        int structures = 0;
        for (int port : ports_of(slot)) structures += is_structure(factor_of_[port]);
        if (structures == 0 || structures == all || !is_free(slot)) continue;
        const double unary = graph_.unary(slot);
        for (int port : ports_of(slot)) {
            const bool is_in_structure = is_structure(factor_of_[port]);
            const double share = is_in_structure ? beta / structures : (1 - beta) / (all - structures);
            result[port] = as_port_sees(port, share * unary);
        }
    }
    return result;
}

double Copies::outside() const {
    const Variables& variables = graph_.variables();
    double total = graph_.constant();
    for (int v = 0; v < variables.count(); ++v) {
        const int first = variables.first(v), size = variables.size(v);
        if (degree(first)) continue;
        double best = variables.is_category(v) ? -INFINITY : 0;
        for (int slot = first; slot < first + size; ++slot)
            if (graph_.unary(slot) != INFINITY) best = std::max(best, graph_.unary(slot));
        total += best;
    }
    return total;
}

double Copies::typical_score() const {
    double total = 0;
    std::size_t count = 0;
    const auto add = [&](double score) {
        if (!std::isfinite(score) || score == 0) return;
        total += std::abs(score);
        ++count;
    };
    for (int slot = 0; slot < graph_.slots(); ++slot) add(graph_.unary(slot));
    for (const auto& group : graph_.groups())
        for (double score : group->part_scores()) add(score);
    return count && std::isfinite(total) ? total / static_cast<double>(count) : 1;
}

void decide_alone(const FactorGraph& graph, int variable, Assignment& assignment) {
    const Variables& variables = graph.variables();
    const int first = variables.first(variable), size = variables.size(variable);
    if (!variables.is_category(variable)) {
        assignment[first] = graph.unary(first) > 0;
        return;
    }
    int best = first;
    for (int slot = first; slot < first + size; ++slot) {
        assignment[slot] = 0;
        if (graph.unary(slot) > graph.unary(best)) best = slot;
    }
    assignment[best] = 1;
}

}  // namespace arbora
