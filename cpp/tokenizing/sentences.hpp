// Sentences and tokens of a text as a batch for the components that follow.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tokenizing/multiwords.hpp"
#include "tokenizing/scanner.hpp"
#include "treebank/batch.hpp"

namespace arbora::tokenizing {

// How much of a text there is so far, and how it is told: what stands before the numbers of its sentences, and what its
// first sentence says of the document, such as `newdoc id = a1`; nothing if the document began before.
struct TextCounts {
    std::string prefix, document = "newdoc";
    std::uint64_t sentences = 0, tokens = 0, words = 0;
};

// The sentences of a text, with comments that tell documents, paragraphs, numbers and texts; `counts` counts on. All
// spaces are kept in MISC: nothing for one space, SpaceAfter=No for none, SpacesAfter for others, SpacesBefore at the
// text's begin. With `ranges`, MISC has TokenRange=begin:end, in characters of the whole text.
treebank::Batch make_sentences(std::shared_ptr<const TextBatch> text, const Multiwords& multiwords, bool ranges,
                               TextCounts& counts, int threads);

// Spaces as MISC shows them: \s \t \n \r, and \u and four hexadecimal digits for others, which some programs take for the
// ends of lines or cut from the ends of fields.
void escape_spaces(std::string_view spaces, std::string& result);

}  // namespace arbora::tokenizing
