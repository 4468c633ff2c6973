// Trees of phrases over the words of a sentence, in brackets: (S (NP (NNS Dogs)) (VP (VBP bark))).
#pragma once

#include <span>
#include <string>

#include "treebank/batch.hpp"

namespace arbora::treebank {

// Names of comments.
inline constexpr std::string_view constituents_note = "constituents";
inline constexpr std::string_view constituent_probabilities_note = "constituent_probabilities";
inline constexpr std::string_view constituents_log_probability_note = "constituents_log_probability";
inline constexpr std::string_view constituents_joint_log_probability_note = "constituents_joint_log_probability";

// What is wrong with constituents of so many words; null if they make a tree: the first holds all words, none crosses
// another, all come after those that hold them.
const char* constituents_problem(std::span<const Constituent> constituents, std::size_t words);

// The tag of a word in its tree: XPOS, or UPOS where there is none.
inline std::string_view constituent_tag(const Row& word) { return word[4] == "_" ? word[3] : word[4]; }

// The sentence's tree, on one line. Brackets and spaces within words and tags are written as -LRB-, -RRB- and no-break
// spaces.
void append_brackets(const AnnotatedSentence& sentence, std::string& text);

// Whether the constituents have probabilities; and these, with spaces between.
bool has_constituent_probabilities(const AnnotatedSentence& sentence);
void append_constituent_probabilities(const AnnotatedSentence& sentence, std::string& text);

}  // namespace arbora::treebank
