#pragma once
#include <vector>

#include "parts/arc_index.hpp"

namespace arbora {

// Numbers for hidden tags (Smith & Eisner 2008: TAG and TAGLINK): one for every tag of every word, and one for every two
// tags of the words that an arc links.
struct TagNumbers {
    int tags = 0;               // how many a word can have; 0: words have none
    std::vector<double> words;  // n x tags
    std::vector<double> links;  // arcs x tags x tags, the head's tag first; those of arcs from the root count nothing

    void clear(int count, int n, int arcs);
    double* of_word(int word) { return words.data() + static_cast<std::size_t>(word - 1) * tags; }
    const double* of_word(int word) const { return words.data() + static_cast<std::size_t>(word - 1) * tags; }
    double* of_link(int arc) { return links.data() + static_cast<std::size_t>(arc) * tags * tags; }
    const double* of_link(int arc) const { return links.data() + static_cast<std::size_t>(arc) * tags * tags; }
};

// Log of the sum over all tags of a tree's words, given by the heads of words 1..n, whose arcs must be among the arcs:
// exactly, from the leaves to the root, in O(n g^2). Scores are multiplied by `scale`. Subtracts the probabilities of
// words' tags and of linked tags from `beliefs`, if it is not null.
double sum_tags(const ArcIndex& arcs, const TagNumbers& scores, double scale, const int* heads, TagNumbers* beliefs);

}  // namespace arbora
