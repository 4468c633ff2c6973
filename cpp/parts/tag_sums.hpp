#pragma once
#include <vector>

#include "parts/arc_index.hpp"

namespace arbora {

// Numbers for tags (Smith & Eisner 2008: TAG, TAGLINK and TRIGRAM): one for every tag that a word may have, one for every
// two tags of the words that an arc links, and, if tags are a chain, one for every two and three of neighbours.
struct TagNumbers {
    // Where the tags of words 1..n begin, and where the last ones end; empty: words have none.
    std::vector<int> begins;
    std::vector<double> words;
    // Where the pairs of each arc begin, and where the last ones end; the head's tag comes first, that of the modifier
    // runs fastest. Arcs from the root have none.
    std::vector<std::size_t> link_begins;
    std::vector<double> links;
    // In the order of TagChain's parts; empty if tags are no chain.
    std::vector<double> bigrams, trigrams;

    bool empty() const { return begins.empty(); }
    bool has_chain() const { return !bigrams.empty(); }
    int count(int word) const { return begins[word] - begins[word - 1]; }
    double* of_word(int word) { return words.data() + begins[word - 1]; }
    const double* of_word(int word) const { return words.data() + begins[word - 1]; }
    double* of_link(int arc) { return links.data() + link_begins[arc]; }
    const double* of_link(int arc) const { return links.data() + link_begins[arc]; }
    // Zeros for the same tags, pairs and triples.
    void set_zeros(const TagNumbers& like);
    void multiply(double by);
};

// Log of the sum over all tags of a tree's words, given by the heads of words 1..n, whose arcs must be among the arcs:
// exactly, from the leaves to the root, in O(n g^2). There must be no chain. Scores are multiplied by `scale`. Subtracts the
// probabilities of words' tags and of linked tags from `beliefs`, if it is not null.
double sum_tags(const ArcIndex& arcs, const TagNumbers& scores, double scale, const int* heads, TagNumbers* beliefs);

// The score of one choice: chosen[m] is the place of word m's tag among those that it may have. Subtracts 1 from `beliefs`
// wherever it counts.
double score_tags(const ArcIndex& arcs, const TagNumbers& scores, const int* heads, const int* chosen,
                  TagNumbers& beliefs);

}  // namespace arbora
