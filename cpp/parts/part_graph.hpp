#pragma once
#include <array>
#include <vector>

#include "factors/graph.hpp"
#include "parts/part_kind.hpp"
#include "parts/tag_sums.hpp"
#include "trees/scores.hpp"

namespace arbora {

// Which arcs make a parse (Smith & Eisner 2008, table 3), the weakest first.
enum class TreeConstraint : std::uint8_t { not2, at_most_one, exactly_one, exactly_one_no_2cycle, tree };

// How parts become factors.
struct GraphShape {
    // One automaton for each head scores consecutive siblings, grandparents and grand-siblings together: the tightest
    // for solvers that maximise. Belief propagation over binary variables wants them apart, because such an automaton
    // demands one head a word as the tree does, and what is demanded twice is counted twice.
    bool joined = true;
    TreeConstraint constraint = TreeConstraint::tree;
    // For those that know trees themselves.
    bool without_constraint = false;
    // No automaton takes a modifier that is its grandparent. That is tighter, but the tree demands it too, and what is
    // demanded twice belief propagation would count twice.
    bool forbids_circles = false;
};

// Whether parts of kind k are in the joined automata.
bool is_in_automata(int k);

// One number for each part of each kind.
template <class Number>
using PartNumbers = std::array<std::vector<Number>, part_kind_count>;

// All parts of a sentence; can be used again for the next one.
struct SentenceParts {
    ArcIndex arcs;
    std::array<std::vector<Part>, part_kind_count> parts;
    PartNumbers<double> scores;
    TagNumbers tags;  // scores of tags, if words have some

    // Lists the parts of the wanted kinds over some arcs; there are no tags.
    void set(const std::vector<Arc>& candidates, int n, const std::array<bool, part_kind_count>& wanted);
};

// A graph whose variable a is arc a, and the way back from its factors' parts to those of the sentence. Where parts hang on
// what is below what, variables for that follow those of the arcs; a tree decides them. Tags of words are in a graph beside
// it: what is said of trees is summed over their tags.
class PartGraph {
public:
    // `arc_scores`: one for each arc. Scores of parts and tags are multiplied by `scale`.
    PartGraph(const SentenceParts& parts, const std::vector<double>& arc_scores, const GraphShape& shape, TreeKind kind,
              double scale);

    const FactorGraph& graph() const { return graph_; }
    // The same with the tags of words, if they have some: after all others, a variable for each word; and, after all
    // others, a group that links tags along arcs, and one of their chain. Where both words of an arc have one tag alone,
    // that is a score of the arc.
    const FactorGraph& tagged() const { return parts_.tags.empty() ? graph_ : tagged_; }
    const ArcIndex& arcs() const { return parts_.arcs; }
    TreeKind kind() const { return kind_; }
    // Groups before this one are the constraint on the arcs, and what ties other variables to them.
    std::size_t first_part_group() const { return first_group_; }
    // The group whose factors see what is below what; null if there is none.
    const FactorGroup* descent_group() const { return descent_group_; }

    // The scores of siblings and grandparents, as factors and charts number them; null if there are none.
    struct Automata {
        const std::vector<double>* scores;
        bool see_grandparents;
        bool are_all;       // there are no other parts
        std::size_t group;  // whose scores they are
    };
    Automata automata() const;

    // Of every part of every kind what its factors say of theirs: `by_group` has a vector for each group, as
    // Outcome::parts has. Adds `weight` times it.
    void add_parts(const std::vector<std::vector<double>>& by_group, double weight, PartNumbers<double>& result) const;
    // The same for the parts of an assignment of all variables; or of a tree, given by the heads of words 1..n; all its
    // arcs must be candidates.
    void add_parts_of(const Assignment& assignment, double weight, PartNumbers<double>& result, Arena& arena) const;
    void add_parts_of_tree(const int* heads, double weight, PartNumbers<double>& result, Arena& arena) const;
    // Adds the probabilities of tags: `beliefs` and `by_group` are those of the graph with tags.
    void add_tags(const std::vector<double>& beliefs, const std::vector<std::vector<double>>& by_group,
                  TagNumbers& result) const;
    Assignment assignment_of(const int* heads) const;
    // Sets what follows from the arcs of an assignment.
    void complete(Assignment& assignment) const;
    double value_of(const Assignment& assignment) const;
    // The score of a tree, with the sum over its tags, which must be no chain; -inf if an arc is no candidate.
    double value_of_tree(const int* heads, Arena& arena) const;
    // The tree that an assignment is.
    void read_heads(const Assignment& assignment, int* heads) const;

private:
    static constexpr int joined_group = -1;

    void add_constraint(const GraphShape& shape);
    void add_joined(double scale, bool forbids_circles);
    void link_tags();
    // Whether both words of an arc between words have one tag alone.
    bool has_one_pair(int arc) const;
    bool has(int k) const;

    const SentenceParts& parts_;
    TreeKind kind_;
    double scale_;
    FactorGraph graph_, tagged_;
    Descents descents_;
    const FactorGroup* descent_group_ = nullptr;
    std::vector<int> kinds_;  // of each group after the constraint's: a kind, or joined_group
    std::size_t first_group_ = 0, link_group_ = 0, chain_group_ = 0;  // the latter two 0 if there are none
};

}  // namespace arbora
