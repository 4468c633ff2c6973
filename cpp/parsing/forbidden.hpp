#pragma once
#include <span>
#include <vector>

#include "treebank/batch.hpp"

namespace arbora {

// Arcs that no tree of a sentence may have.
class ForbiddenArcs {
public:
    void set(int n, std::span<const treebank::ForbiddenArc> arcs);
    bool has(int head, int modifier) const;
    bool empty() const { return heads_.empty(); }
    // Whether a tree, by the heads of words 1..n, has none of them.
    bool allows(const int* heads) const;
    // Those between some words (1..n, in their order), which count from 1 there; the root's, if it is theirs.
    ForbiddenArcs among(std::span<const int> words, bool with_root) const;

private:
    std::vector<std::size_t> starts_;  // of each modifier's heads
    std::vector<int> heads_;           // sorted within a modifier
};

}  // namespace arbora
