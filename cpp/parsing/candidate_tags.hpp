// Tags among which a parser chooses, as a tagger lists them in MISC: UposCandidates=NOUN:0.7312;VERB:0.2688.
#pragma once
#include <string_view>

#include "linear/atoms.hpp"
#include "parsing/names.hpp"
#include "treebank/batch.hpp"

namespace arbora {

// Fills the tags that a word may have, by its columns: those that MISC lists, with the logarithms of their probabilities;
// else its UPOS alone, if that is known; else none, which leaves it any. Returns what features see as its UPOS: the first.
std::string_view read_candidates(const Names& tags, std::string_view upos, std::string_view misc,
                                 std::vector<WordTag>& found);

// The same of what a tagger has listed for the word in a batch.
std::string_view take_candidates(const Names& tags, std::string_view upos,
                                 const std::vector<treebank::TagCandidate>& listed, std::vector<WordTag>& found);

}  // namespace arbora
