// From CoNLL-U to CoNLL-U: the sentences of a text with their trees, and all else byte for byte as it was.
#pragma once
#include <string_view>

#include "parsing/linear_model.hpp"
#include "parsing/names.hpp"
#include "parsing/parse.hpp"
#include "treebank/rewriting.hpp"

namespace arbora {

struct StreamOptions {
    ParseOptions parse;
    bool constraints = false;  // heads and labels that are not `_` are kept
    int threads = 1;
};

// Parses all sentences that are known to have ended in the text (`final`: nothing follows it), up to the first one
// that cannot be parsed. DEPS is emptied. With probabilities, those of the head and label go to the end of MISC, and
// that of the tree into the last comment; what an earlier parse put there is replaced. `tags`, unless there are none: words
// get one of these as their UPOS, among those that MISC lists (candidate_tags.hpp) and no longer does then.
treebank::RewrittenText parse_conllu(const LinearParser& parser, const Names& labels, const Names& tags,
                                     std::string_view text, bool final, const StreamOptions& options);

}  // namespace arbora
