#include "parsing/exact_charts.hpp"

#include <cmath>

namespace arbora {
namespace {

// The chart of a graph with its scores.
ProjectiveSiblings& chart_of(const PartGraph& graph) {
    thread_local ProjectiveSiblings chart;
    thread_local std::vector<int> heads, modifiers;
    thread_local std::vector<double> scores, zeros;
    const ArcIndex& arcs = graph.arcs();
    heads.clear();
    modifiers.clear();
    scores.clear();
    for (int a = 0; a < arcs.count(); ++a) {
        heads.push_back(arcs.arc(a).head);
        modifiers.push_back(arcs.arc(a).modifier);
        scores.push_back(graph.graph().score(a));
    }
    const PartGraph::Automata automata = graph.automata();
    chart.set_arcs({arcs.n(), heads, modifiers, graph.kind().single_root}, automata.see_grandparents);
    if (!automata.scores) zeros.assign(chart.chart().part_count(), 0.0);
    chart.set_scores(scores, automata.scores ? *automata.scores : zeros);
    return chart;
}

}  // namespace

double best_projective(const PartGraph& graph, int* heads) {
    ProjectiveSiblings& chart = chart_of(graph);
    if (chart.best_score() != -INFINITY) chart.best_tree(heads);
    return chart.best_score();
}

std::vector<ScoredTree> best_projective_trees(const PartGraph& graph, int k) {
    const ProjectiveSiblings& chart = chart_of(graph);
    if (chart.best_score() == -INFINITY) return {};
    return chart.best_trees(k);
}

double sum_projective(const PartGraph& graph, std::vector<double>& arcs, std::vector<std::vector<double>>* parts) {
    ProjectiveSiblings& chart = chart_of(graph);
    if (chart.best_score() == -INFINITY) return -INFINITY;
    arcs.assign(graph.arcs().count(), 0.0);
    if (!parts) return chart.sum(arcs.data(), nullptr);
    parts->assign(graph.graph().groups().size(), {});
    const PartGraph::Automata automata = graph.automata();
    if (!automata.scores) return chart.sum(arcs.data(), nullptr);
    std::vector<double>& own = (*parts)[automata.group];
    own.assign(automata.scores->size(), 0.0);
    return chart.sum(arcs.data(), own.data());
}

}  // namespace arbora
