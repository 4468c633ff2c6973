#include "solvers/fixing.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/copies.hpp"
#include "support/interruption.hpp"

namespace arbora {

FactorGraph decided(const FactorGraph& graph, const std::vector<Decision>& decisions) {
    FactorGraph result = graph;
    const Variables& variables = graph.variables();
    std::vector<int> variable_of(graph.slots());
    for (int v = 0; v < variables.count(); ++v)
        std::fill_n(variable_of.begin() + variables.first(v), variables.size(v), v);
    for (const Decision& decision : decisions) {
        const int variable = variable_of[decision.slot];
        if (!variables.is_category(variable))
            result.clamp(variable, decision.is_true);
        else if (decision.is_true)
            result.clamp(variable, decision.slot - variables.first(variable));
        else
            result.set_score(decision.slot, -INFINITY);
    }
    return result;
}

bool is_decided(const FactorGraph& graph, int variable) {
    const int first = graph.variables().first(variable), size = graph.variables().size(variable);
    int possible = 0;
    for (int slot = first; slot < first + size; ++slot) possible += std::isfinite(graph.unary(slot));
    return graph.variables().is_category(variable) ? possible <= 1 : possible == 0;
}

std::vector<Decision> find_fixed(const FactorGraph& graph, const Multipliers& multipliers, double least) {
    const Copies copies(graph);
    std::vector<Decision> fixed;
    if (multipliers.size() != static_cast<std::size_t>(copies.ports())) return fixed;
    Arena arena;
    std::vector<double> if_true(graph.slots(), 0), if_false(graph.slots(), 0), beliefs(copies.ports());
    double bound = copies.outside();
    for (int factor = 0; factor < copies.factors(); ++factor) {
        Interruption::heed();
        const int begin = copies.port_begin(factor);
        bound += copies.group(factor).max(copies.number_in_group(factor), multipliers.data() + begin,
                                          beliefs.data() + begin, arena);
        for (int port = begin; port < copies.port_end(factor); ++port) {
            const double more = copies.as_port_sees(port, beliefs[port]);
            if_true[copies.slot(port)] += std::max(0.0, -more);
            if_false[copies.slot(port)] += std::max(0.0, more);
            // What a negated port gets if its slot is false, the slot gives if it is true, less this.
            if (copies.is_negated(port) && std::isfinite(multipliers[port])) bound -= multipliers[port];
        }
    }
    if (!std::isfinite(bound)) return fixed;
    for (int v = 0; v < graph.variables().count(); ++v) {
        const int first = graph.variables().first(v), size = graph.variables().size(v);
        if (is_decided(graph, v) || !copies.degree(first)) continue;
        for (int slot = first; slot < first + size; ++slot) {
            if (!copies.is_free(slot)) continue;
            if (bound - if_true[slot] <= least)
                fixed.push_back({slot, false});
            else if (!graph.variables().is_category(v) && bound - if_false[slot] <= least)
                fixed.push_back({slot, true});
        }
    }
    return fixed;
}

}  // namespace arbora
