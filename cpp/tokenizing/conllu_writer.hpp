// Sentences and tokens of a text as CoNLL-U.
#pragma once
#include <cstdint>
#include <string>

#include "tokenizing/multiwords.hpp"
#include "tokenizing/scanner.hpp"

namespace arbora::tokenizing {

struct Written {
    std::uint64_t sentences = 0, tokens = 0, words = 0;
};

// Appends the sentences of a batch; `written` counts on. All spaces are kept in MISC: nothing for one space,
// SpaceAfter=No for none, SpacesAfter for others, SpacesBefore at the text's begin. With `ranges`, MISC has
// TokenRange=begin:end, in characters of the whole text.
void write_conllu(const TextBatch& batch, const Multiwords& multiwords, bool ranges, Written& written,
                  std::string& result);

// Spaces as MISC shows them: \s \t \n \r, and \u and four hexadecimal digits for others that end lines in some programs.
void escape_spaces(std::string_view spaces, std::string& result);

}  // namespace arbora::tokenizing
