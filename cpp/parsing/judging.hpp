// What a parser thinks of trees that are there.
#pragma once
#include <vector>

#include "parsing/parse.hpp"

namespace arbora {

// A head or a label that a word may have.
struct Choice {
    int number;
    double probability;
};

// Of one sentence, for words 1..n. What is not a number is not known: the tree says nothing there.
struct Judgement {
    std::vector<double> head_probabilities;
    std::vector<double> label_probabilities;  // given the tree that was judged
    // Of all heads and labels that are known; if a head is not, or the sentence was parsed in pieces, it is not a number.
    double log_probability = 0;
    // What the parser prefers, and how probable head and label are together.
    std::vector<int> best_heads, best_labels;
    std::vector<double> best_probabilities;
    // Heads of words, and labels given the tree that was judged, the most probable first.
    std::vector<std::vector<Choice>> heads, labels;
};

// A tree is heads and labels of words 1..n; -1 is not known, `unknown_label` one that the scores do not know, which has no
// probability. Its arcs are candidates whatever the pruner says. Heads that are not known are those that fit best with the
// others when labels are judged. Choices of less than `least` are not listed. Throws Infeasible and TooLong as `parse` does.
inline constexpr int unknown_label = -2;
Judgement judge(const Scorer& scorer, std::size_t sentence, const int* heads, const int* labels,
                const ParseOptions& options, double least);

}  // namespace arbora
