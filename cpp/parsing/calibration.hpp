#pragma once
#include <vector>

#include "parsing/graph_solving.hpp"
#include "parsing/losses.hpp"

namespace arbora {

// How improbable gold trees are if all scores are multiplied: for every scale the sums of -log P(tree), of -log P(labels
// given the tree) where they follow it, and of those of labels that arcs have scores for (`arc_labels`), whose arcs are
// sums over labels (or hidden roles) at the scale `joint`. Where sums over trees are approximate, squared errors of the
// arcs' probabilities take the place of the first. The gold arcs count among the candidates. Sentences with a label that
// is not known (-1), or cannot be in its place, are left out.
struct NegativeLogLikelihoods {
    std::vector<double> trees, labels, arc_labels;
};
NegativeLogLikelihoods negative_log_likelihoods(const Scorer& scorer, const std::vector<GoldTree>& gold, TreeKind kind,
                                                const GraphOptions& graph, const std::vector<double>& scales,
                                                double joint, int threads);

}  // namespace arbora
