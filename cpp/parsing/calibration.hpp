#pragma once
#include <vector>

#include "parsing/graph_solving.hpp"
#include "parsing/losses.hpp"

namespace arbora {

// What is to be tried: scales of trees, of labels that follow the tree, and of labels that arcs have scores for. `joint`
// is the scale at which arcs are sums over labels (or hidden roles). What has nothing to try is not measured.
struct CalibrationTrials {
    std::vector<double> trees, labels, arc_labels;
    double joint = 1;
};

// How improbable gold trees are if all scores are multiplied: for every scale the sums of -log of the probabilities of gold
// heads, one by one, of -log P(labels given the tree) where they follow it, and of those of labels that arcs have scores for
// (`arc_labels`). Not all is `exact` where sums over trees are approximate. The gold arcs count among the candidates.
// Sentences with a label that is not known (-1), or cannot be in its place, are left out.
struct GoldCosts {
    std::vector<double> trees, labels, arc_labels;
    bool exact = true;
};
GoldCosts measure_gold_costs(const Scorer& scorer, const std::vector<GoldTree>& gold, TreeKind kind,
                             const GraphOptions& graph, const CalibrationTrials& trials, int threads);

}  // namespace arbora
