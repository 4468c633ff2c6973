#pragma once
#include <span>
#include <vector>

#include "support/arena.hpp"
#include "trees/scores.hpp"

namespace arbora {

// The arcs that a tree factor sees, one for each port, in any order; others are impossible.
class CandidateArcs {
public:
    // Throws std::invalid_argument for what is no arc between the root 0 and the words 1..n, or comes twice.
    CandidateArcs(int words, std::vector<int> heads, std::vector<int> modifiers, bool single_root);

    int words() const { return words_; }
    int count() const { return static_cast<int>(cells_.size()); }
    // Of the table of scores.
    std::size_t cells() const { return ports_.size(); }
    int head(int port) const { return heads_[port]; }
    int modifier(int port) const { return modifiers_[port]; }
    // Of an arc that is a candidate.
    int port(int head, int modifier) const { return ports_[cell(head, modifier)]; }
    bool is_candidate(int head, int modifier) const { return ports_[cell(head, modifier)] >= 0; }
    bool single_root() const { return single_root_; }

    // A table of scores from what ports are given: +inf leaves the arc alone with its modifier, at the score 0. Writes
    // (n+1) x (n+1) numbers; false if two arcs of one modifier are certain.
    bool fill_scores(const double* in, double* scores, ScoreRange& range) const;
    // What ports get from a table in the same layout.
    void read_odds(const double* odds, double* beliefs) const;
    // The ports of a tree's arcs, in ascending order.
    void active_ports(const int* heads, std::vector<int>& active) const;
    // The heads that active ports give, n + 1 numbers; false if some word has none, or two.
    bool heads_of(std::span<const int> active, int* heads) const;

private:
    int cell(int head, int modifier) const { return head * (words_ + 1) + modifier; }

    int words_;
    bool single_root_;
    std::vector<int> heads_, modifiers_, cells_, ports_;
};

}  // namespace arbora
