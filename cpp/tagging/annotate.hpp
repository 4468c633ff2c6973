// Tags and lemmas for the sentences of a batch.
#pragma once
#include <memory>

#include "tagging/tagger.hpp"
#include "treebank/batch.hpp"

namespace arbora {

// Sets LEMMA, UPOS, XPOS and FEATS of all words; with `keep` only where they are `_`, as it goes best with those that are
// there. With probabilities, words get those of UPOS, of XPOS with FEATS and of
// the lemma, each given what stands before it; with candidates, the UPOS tags that they may have. `lemmas_alone`: tags were
// found elsewhere; they bind and stay.
void annotate(const Tagger& tagger, std::shared_ptr<const TagNames> names, const TaggingOptions& options, bool keep,
              bool lemmas_alone, int threads, treebank::Batch& batch);

}  // namespace arbora
