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

// The loss over trees of one sentence of n words with these candidate arcs; hands its gradient back to the scorer. If
// `completed` is not null and the gold tree is partial, it gets the heads of a whole tree. Throws Infeasible.
double differentiate_trees(const ScoreKinds& kinds, SentenceScorer& scorer, int n, const std::vector<Arc>& arcs,
                           GoldTree gold, const LossOptions& options, std::vector<int>* completed = nullptr);

// The loss over labels that follow the gold tree; 0 if none follow. Labels that are hidden are summed out (for beta = inf
// the best count), and so are those of words whose head is hidden: `whole` has the heads of a whole tree.
double differentiate_labels(const ScoreKinds& kinds, SentenceScorer& scorer, int n, GoldTree gold, const int* whole,
                            LossFamily family);

}  // namespace arbora
