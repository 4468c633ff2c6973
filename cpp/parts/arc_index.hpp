#pragma once
#include <span>
#include <vector>

#include "linear/streams.hpp"

namespace arbora {

// The candidate arcs of a sentence, which must be sorted by modifier, then head; found by either end. Can be used again
// for the next sentence, which saves allocations.
class ArcIndex {
public:
    void set(const std::vector<Arc>& arcs, int n);

    int n() const { return n_; }
    int count() const { return static_cast<int>(arcs_.size()); }
    const Arc& arc(int a) const { return arcs_[a]; }
    const std::vector<Arc>& arcs() const { return arcs_; }

    // The arcs into a word are neighbours: from begin to end.
    int heads_begin(int word) const { return heads_[word]; }
    int heads_end(int word) const { return heads_[word + 1]; }
    // The arcs from a word to modifiers on one side, from the word outwards.
    std::span<const int> left(int word) const { return side(2 * word); }
    std::span<const int> right(int word) const { return side(2 * word + 1); }
    // Where an arc stands; -1 if it is no candidate.
    int find(int head, int modifier) const;

private:
    std::span<const int> side(int which) const {
        return {modifiers_.data() + sides_[which], static_cast<std::size_t>(sides_[which + 1] - sides_[which])};
    }

    int n_ = 0;
    std::vector<Arc> arcs_;
    std::vector<int> heads_, sides_, modifiers_;
};

}  // namespace arbora
