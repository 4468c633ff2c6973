// Parsing by a network: derivations are extended best first between words, and after every word only the best are kept.
#pragma once
#include <vector>

#include "isbn/network.hpp"

namespace arbora::isbn {

struct BeamOptions {
    int beam = 10;          // derivations that are kept after a word
    int branching = 5;      // labels of a projection that are followed
    int candidates = 20;    // derivations that reach the next word before the best of them are kept
    int most_steps = 2000;  // decisions that are looked at between two words
};

struct BeamParse {
    std::vector<Decision> decisions;
    double log_probability;
};

// The best derivations that were found of tagged words (tags, and numbers among all tag-words), best first; at least one.
std::vector<BeamParse> parse_by_beam(const Network& network, const std::vector<int>& tags,
                                     const std::vector<int>& words, const BeamOptions& options);

}  // namespace arbora::isbn
