// Left-corner derivations: the stack, the constituents on it, and what may be decided.
#pragma once
#include <vector>

#include "isbn/shape.hpp"

namespace arbora::isbn {

// One of a parser's decisions: an action, with the label of a projection, or the tag and the tag-word of a shift.
struct Decision {
    int action = shift;
    int label = -1;
    int tag = -1, word = -1;  // the word among all tag-words

    bool operator==(const Decision&) const = default;
};

// A constituent as it is at some moment. What changes makes a new one, so derivations can share what they have in common.
struct Node {
    int symbol;
    int word = -1;  // of a leaf
    int first_word = -1, last_word = -1;
    int leftmost = -1, last = -1;  // children
    int state = -1;                // the last state that had it on top
    int chain = 0;                 // how many constituents are over the same words, with this one
    int begin = 0;                 // its first word's place in the sentence
};

// Where a derivation is. Nodes and cells of stacks are in arenas, by number.
struct Configuration {
    int stack = -1;
    int last_decision = 0;  // as a value of Attribute::decision
    int next_word = 0;      // how many words were shifted
};

class Derivations {
public:
    explicit Derivations(const Shape& shape) : shape_(shape) {}

    // Forgets all, and gives the configuration that derivations begin with.
    Configuration start();
    // The configuration after a decision that was taken in this state.
    Configuration apply(const Configuration& from, const Decision& decision, int state);
    // Which actions may follow so that a tree can still be completed: bits.
    unsigned legal_actions(const Configuration& configuration) const;

    // The constituent at a place; -1 if there is none.
    int at(const Configuration& configuration, Place place) const;
    // The state that a state relation leads to; -1 if none.
    int related_state(const Configuration& configuration, Place place) const;
    // The value of what an input relation sees; 0 if that is nothing.
    int input(const Configuration& configuration, InputRelation relation) const;

    const Node& node(int number) const { return nodes_[number]; }
    int below(int cell) const { return cells_[cell].below; }
    const Node& top(const Configuration& configuration) const { return nodes_[cells_[configuration.stack].node]; }

private:
    struct Cell {
        int node, below;
    };
    int push(int node, int below);
    int add(const Node& node);

    const Shape& shape_;
    std::vector<Node> nodes_;
    std::vector<Cell> cells_;
};

// A constituent above the words, in the order of parents first; `label` is its number.
struct Span {
    int label, begin, end;
};

// The decisions that make a tree, whose root is not among the spans; tags and tag-words of all words are given.
std::vector<Decision> decisions_of(const std::vector<Span>& spans, const std::vector<int>& tags,
                                   const std::vector<int>& words);
// The tree that decisions make: back again. Throws std::invalid_argument if they make none.
std::vector<Span> spans_of(const std::vector<Decision>& decisions);

}  // namespace arbora::isbn
