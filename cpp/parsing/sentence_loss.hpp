#pragma once
#include <vector>

#include "parsing/graph_solving.hpp"
#include "parsing/losses.hpp"

namespace arbora {

struct LossOptions {
    LossFamily family{1, 0};
    TreeKind kind;
    GraphOptions graph{};  // if there are parts of several arcs
};

// The loss over trees of one sentence of n words with these candidate arcs; hands its gradient back to the scorer. Throws
// Infeasible.
double differentiate_trees(const ScoreKinds& kinds, SentenceScorer& scorer, int n, const std::vector<Arc>& arcs,
                           GoldTree gold, const LossOptions& options);

// The loss over labels that follow the gold tree; 0 if none follow. Words whose label is hidden are left out of the
// chains, which is right where neighbouring labels have no scores.
double differentiate_labels(const ScoreKinds& kinds, SentenceScorer& scorer, int n, GoldTree gold, LossFamily family);

}  // namespace arbora
