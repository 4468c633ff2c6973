#pragma once
#include <vector>

#include "parts/arc_index.hpp"

namespace arbora {

// What the non-projective arcs of trees give, for those who change trees step by step.
class NonprojectiveScores {
public:
    NonprojectiveScores() = default;
    // A score for each part, in the order of the kind.
    NonprojectiveScores(const ArcIndex& arcs, const std::vector<double>& scores);

    bool empty() const { return by_arc_.empty(); }
    // The sum for a tree, given by the heads of words 1..n; all its arcs must be candidates.
    double of_tree(const int* heads);

private:
    const ArcIndex* arcs_ = nullptr;
    std::vector<double> by_arc_;
    std::vector<int> first_, next_, begins_, ends_, stack_;  // children in lists, subtrees as ranges of a walk
};

}  // namespace arbora
