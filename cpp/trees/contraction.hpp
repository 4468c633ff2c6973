#pragma once
#include <span>
#include <vector>

#include "trees/scores.hpp"

namespace arbora {

// A node on a cycle that is about to be contracted.
struct CycleMember {
    double node, paid;
    const double* incoming;
    const double* entry;  // null for a token, where all its arcs enter
};

// The best tree by contraction (Chu & Liu 1965, Edmonds 1967) in O(n^2) on dense graphs, grown along a path as in
// Gabow et al. 1986, with the forest of contracted cycles kept for those who ask what else the tree could have been.
//
// Single root, exactly: the best tree with the fewest root arcs is the best one under the lexicographic weight
// (-[head is root], score). Root arcs never lie on a cycle, so contraction never mixes the two components, and the
// order comes down to a rule: a (contracted) node takes a root arc only if no other arc enters it.
class Contraction {
public:
    // Solves for the scores; false if no tree of the kind exists. `greedy` may give every token's best head, root
    // arcs included, if the caller knows them.
    bool solve(ArcScores scores, bool single_root, const int* greedy = nullptr);

    const Heads& heads() const { return heads_; }

    // The change to the tree that loses least: without which of its arcs is the next tree best, and what is lost?
    // Every tree but the best lacks an arc of the best; `modifier` 0 means that there is no other tree.
    struct Swap {
        int modifier;  // of the arc to leave out
        double loss;
    };
    // (Camerini, Fratta & Maffioli 1980.) O(n^2), after solve().
    Swap best_swap();

private:
    struct Arc {
        int head, modifier;
    };

    std::span<const int> members(int cycle) const {
        const int number = cycle - n_ - 1, begin = number ? members_end_[number - 1] : 0;
        return {members_.data() + begin, members_.data() + members_end_[number]};
    }
    double* incoming(int node) { return incoming_.data() + static_cast<std::size_t>(node) * stride_; }
    double* entry(int node) { return entry_.data() + static_cast<std::size_t>(node) * stride_; }
    int entry_token(int node, int source) { return node <= n_ ? node : static_cast<int>(entry(node)[source]); }

    void load(ArcScores scores);
    bool grow_from(int token, const int* greedy);
    int best_source(int node);
    int contract(std::size_t path_start);
    void expand();
    void number_tree();
    double best_other_source(int node, int modifier, int source);
    double best_other_entry(int node, int below, int source, double other_below);

    // Nodes 0..n are the root and the tokens; a contracted cycle gets the next number, so a parent's is higher.
    int n_ = 0;
    int stride_ = 0;
    int node_count_ = 0;
    bool single_root_ = true;
    bool root_taken_ = false;
    // incoming(x)[u]: the best score of an arc from token u into node x, less what it replaces; entry(x)[u]: where
    // it enters (a token's is the token itself, not stored). -inf from x's own tokens.
    // Token numbers are kept as doubles here and in top_, so that scores and numbers go through the same vectors.
    std::vector<double> incoming_;
    std::vector<double> entry_;
    std::vector<int> parent_;     // in the contraction forest; 0 for none
    std::vector<Arc> arc_;        // the arc chosen into a node; after expand(), the tree's arc that enters it
    std::vector<double> chosen_;  // incoming(x)[arc_[x].head] at the time of choice
    std::vector<double> top_;     // of a token: the contracted node that holds it now
    std::vector<int> place_;      // of a node on the path: its position; else what became of it
    std::vector<int> path_;
    std::vector<int> members_;        // of all cycles, one after the other
    std::vector<int> members_end_;    // of a cycle, numbered from 0: where they end
    std::vector<CycleMember> cycle_;  // the members of the cycle at hand, as the inner loop wants them
    Heads heads_;
    std::vector<int> first_, last_;  // preorder interval of a token's subtree
};

}  // namespace arbora
