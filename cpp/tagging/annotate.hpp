// Tags and lemmas for the sentences of a batch.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tagging/tagger.hpp"
#include "treebank/batch.hpp"

namespace arbora {

// What the labels of the stages are called in a file.
struct TagNames {
    std::vector<std::string> upos, xpos, feats;  // of the first stage's labels; of the second's
};

// Sets LEMMA, UPOS, XPOS and FEATS of all words. With probabilities, words get those of UPOS, of XPOS with FEATS and of
// the lemma, each given what stands before it; with candidates, the UPOS tags that they may have.
void annotate(const Tagger& tagger, std::shared_ptr<const TagNames> names, const TaggingOptions& options, int threads,
              treebank::Batch& batch);

}  // namespace arbora
