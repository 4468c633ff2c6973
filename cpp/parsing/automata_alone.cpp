#include "parsing/automata_alone.hpp"

#include <cmath>
#include <stdexcept>

namespace arbora {
namespace {

// Without any parts, an arc is taken if that is better than not to take it.
void take_arcs_alone(const FactorGraph& graph, Outcome& outcome) {
    outcome.value = 0;
    for (int a = 0; a < graph.slots(); ++a) {
        if (!(graph.unary(a) > 0)) continue;
        outcome.beliefs[a] = 1;
        outcome.value += graph.unary(a);
    }
}

}  // namespace

Outcome best_of_automata(const PartGraph& graph, Arena& arena) {
    const PartGraph::Automata automata = graph.automata();
    if (!automata.are_all) throw std::invalid_argument("there are parts that no head automaton sees");
    Outcome outcome;
    outcome.converged = true;
    outcome.beliefs.assign(graph.graph().slots(), 0.0);
    outcome.parts.resize(graph.graph().groups().size());
    if (!automata.scores) {
        take_arcs_alone(graph.graph(), outcome);
        outcome.upper_bound = outcome.value;
        return outcome;
    }
    const FactorGroup& group = *graph.graph().groups()[automata.group];
    const Wiring& wiring = group.wiring();
    std::vector<double>& parts = outcome.parts[automata.group];
    parts.assign(group.part_scores().size(), 0.0);
    std::vector<double> in;
    Configuration found;
    outcome.value = 0;
    for (std::size_t factor = 0; factor < group.size(); ++factor) {
        // The first ports of an automaton that sees grandparents are the arcs to its head. They are scored elsewhere.
        const int head = static_cast<int>(factor);
        const int above = automata.see_grandparents ? graph.arcs().heads_end(head) - graph.arcs().heads_begin(head) : 0;
        const std::size_t first = wiring.port_begin(factor);
        in.resize(wiring.port_count(factor));
        for (std::size_t port = 0; port < in.size(); ++port) {
            const double score = graph.graph().unary(wiring.slot(first + port));
            in[port] = static_cast<int>(port) < above && score != -INFINITY ? 0 : score;
        }
        const double value = group.best(factor, in.data(), found, arena);
        if (value == -INFINITY) {
            outcome.infeasible = true;
            break;
        }
        outcome.value += value;
        for (int port : found.active)
            if (port >= above) outcome.beliefs[wiring.slot(first + port)] = 1;
        group.add_parts(factor, found.active, 1.0, parts.data() + group.part_begin(factor), arena);
    }
    if (outcome.infeasible) outcome.value = -INFINITY;
    outcome.upper_bound = outcome.value;
    return outcome;
}

}  // namespace arbora
