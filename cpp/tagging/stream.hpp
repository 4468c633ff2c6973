// From CoNLL-U to CoNLL-U: the sentences of a text with tags and lemmas, and all else byte for byte as it was.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tagging/tagger.hpp"
#include "treebank/rewriting.hpp"

namespace arbora {

// What the labels of the stages are called in a file.
struct TagNames {
    std::vector<std::string> upos, xpos, feats;  // of the first stage's labels; of the second's
};

// Tags all whole sentences of a text, up to the first one that breaks the format: columns 3 to 6 of its words are new.
// With probabilities, those of UPOS, of XPOS with FEATS and of the lemma go to the end of MISC, each given what stands
// before it; what was there under these names is replaced. So does the list of UPOS tags that a word may have, if it is wanted.
treebank::RewrittenText tag_conllu(const Tagger& tagger, const TagNames& names, std::string_view text, bool final,
                                   const TagWishes& wishes, int threads);

// Such a list: NOUN:0.7312;VERB:0.2688.
std::string candidates_text(const std::vector<TagChance>& candidates, const TagNames& names);

}  // namespace arbora
