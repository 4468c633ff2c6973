#pragma once
#include <string>
#include <vector>

#include "charts/sibling_chart.hpp"
#include "factors/child_sequences.hpp"
#include "factors/grand_siblings.hpp"
#include "factors/graph.hpp"
#include "factors/pairs.hpp"
#include "factors/projective_tree.hpp"

namespace arbora {

// The graph is none that a projective chart can solve.
[[noreturn]] void refuse_for_chart(const std::string& what);

// The possible arcs of a tree factor, as a chart wants them.
struct ChartArcs {
    // Evidence has been honoured: an arc that is certain is the only one to its modifier.
    ChartArcs(const FactorGraph& graph, const ProjectiveTreeFactor& tree);

    ArcList list() const { return {words, heads, modifiers, single_root}; }

    int words;
    bool single_root;
    std::vector<int> heads, modifiers, slots;
    std::vector<double> scores;
    // Of each slot of the graph: its port of the tree, or -1; the arc among the possible ones, or -1.
    std::vector<int> port_of_slot, arc_of_slot;
    const CandidateArcs* all;
};

// Where the parts of one group are found among the parts of a chart. Most are one of them; one that a chart tells apart
// further, such as a bigram in a chart with grandparents, is several, and one that no tree has is none.
class ChartParts {
public:
    ChartParts(const FactorGroup& group, const ChartArcs& arcs, const SiblingChart& chart);

    // Adds the group's scores to those of the chart's parts. Returns the score of what every tree has.
    double add_scores(double* parts) const;
    // Probabilities of the group's parts from those of the chart's.
    std::vector<double> probabilities(const double* parts) const;

private:
    struct Link {
        int part, chart_part;
    };
    // A side of a head as the group sees it: where each of its positions, START to END, is in the chart; -1 if nowhere.
    struct Path {
        int head = -1, side = 0;
        std::vector<int> positions;
    };

    void read(const ChildSequences& group);
    void read(const GrandSiblings& group);
    void read(const Pairs& group);
    int port(std::size_t port) const;
    Path path(std::size_t begin, std::size_t end, int head, int side) const;
    void link_path(const Path& path, int first_part, int first_automaton, int last_automaton);
    void link_path_alone(std::size_t begin, std::size_t end, int first_part);

    const FactorGroup& group_;
    const ChartArcs& arcs_;
    const SiblingChart& chart_;
    std::vector<Link> links_;
    std::vector<int> always_;  // parts that every tree has
};

}  // namespace arbora
