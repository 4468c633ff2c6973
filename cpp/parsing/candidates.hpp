#pragma once
#include <vector>

#include "linear/arc_features.hpp"
#include "parsing/forbidden.hpp"
#include "trees/operations.hpp"

namespace arbora {

// Heads and labels that are given beforehand for words 1..n; -1 is unknown. A null array: none is known.
struct Given {
    const int* heads = nullptr;
    const int* labels = nullptr;
    const char* not_root = nullptr;  // words that cannot hang from the root
    const ForbiddenArcs* forbidden = nullptr;
    const int* kept = nullptr;  // heads whose arcs pruning leaves in any case; they bind nothing

    bool allows(int head, int modifier) const {
        if (forbidden && forbidden->has(head, modifier)) return false;
        if (heads && heads[modifier] >= 0) return heads[modifier] == head;
        return head != 0 || !not_root || !not_root[modifier];
    }
};

// Some arcs of a sentence with their scores, one each or one for every label; arcs that are not listed are impossible.
struct Candidates {
    int n = 0;
    int labels = 0;              // 0: one score for each arc
    std::vector<Arc> arcs;       // sorted by modifier, then head
    std::vector<double> scores;  // arcs, or arcs x labels

    int per_arc() const { return labels ? labels : 1; }
    std::size_t cell(std::size_t arc) const {
        return static_cast<std::size_t>(arcs[arc].head) * (n + 1) + arcs[arc].modifier;
    }
    // Where the arc to a modifier from a head stands; arcs.size() if it is not listed.
    std::size_t find(int head, int modifier) const;
};

// What of an arc's labels counts in a table of arcs: the best of them, or their sum.
enum class Collapse : bool { best, sum };

// One score for each arc, by its labels.
void collapse(const Candidates& candidates, Collapse how, std::vector<double>& arcs);

// Scores of arcs in a table (n+1) x (n+1) with -inf where there is no arc.
void fill_table(const Candidates& candidates, const std::vector<double>& arcs, std::vector<double>& table);

// The arcs worth a closer look, by scores of their own, whose table (-inf: no arc) is changed: those at least `threshold`
// times as probable as the word's most probable one, at most `most` for a word, and those of the least-risk tree, so that
// there always is one. `also`, if not null, has heads to keep in any case; those that it does not know (-1) are completed
// to the best tree by these scores. In the order of modifiers, then heads. Throws Infeasible.
std::vector<Arc> prune(std::vector<double>& scores, int n, TreeKind kind, double threshold, int most, const int* also);

}  // namespace arbora
