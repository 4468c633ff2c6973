#pragma once
#include <vector>

#include "factors/graph.hpp"
#include "parts/arc_index.hpp"

namespace arbora {

// What is below what, as variables of a graph beside its arcs (the paths of Martins et al. 2010): a word descends from h if
// and only if its head does (ChoiceFactor). What all trees of the candidates agree about, or what a single arc decides,
// needs no variable; nor does what no arc spans.
class Descents {
public:
    // There are none.
    Descents() = default;
    // Of the heads of all arcs that span a word, for the words that they span. Variables are numbered after the arcs.
    explicit Descents(const ArcIndex& arcs);

    bool empty() const { return pairs_.empty() && !has_certain_; }
    // How a graph says that a word descends from a head (or is it): a variable, of an arc or a new one. `certain()` stands
    // for what always is, negated for what never is.
    Input at(int head, int word) const;
    Input certain() const { return {arcs_->count()}; }

    // Adds the variables to a graph that has the arcs, and, if so wanted, factors that tie them to the arcs. `or_none`:
    // there may be words without a head.
    void add_to(FactorGraph& graph, bool with_factors, bool or_none) const;
    // What they are in a tree, given by the heads of words 1..n (or in any graph with at most one head a word: what is in or
    // below a circle descends from what is in it).
    void complete(const int* heads, Assignment& assignment) const;

private:
    struct Pair {
        int head, word;
    };
    enum class Known : char { no, never, always };

    void find_known(int head, std::vector<Known>& known) const;
    Input need(int head, int word, const std::vector<Known>& known);
    Input decided_by_arc(int word, const std::vector<Known>& known) const;
    Input& cell(int head, int word) { return cells_[static_cast<std::size_t>(head) * (arcs_->n() + 1) + word]; }

    const ArcIndex* arcs_ = nullptr;
    bool has_certain_ = false;
    std::vector<Input> cells_;  // by head and word; variable -1 where nobody needs it
    std::vector<Pair> pairs_;   // of each new variable but the certain one
};

// Whether an arc spans a word that need not descend from its head; what is below the root is everything.
inline bool spans_words(const Arc& arc) {
    return arc.head != 0 && (arc.head < arc.modifier ? arc.modifier - arc.head : arc.head - arc.modifier) > 1;
}

}  // namespace arbora
