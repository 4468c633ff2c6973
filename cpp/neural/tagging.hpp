// Tags of words by their states.
#pragma once
#include <memory>

#include "neural/model.hpp"
#include "neural/states.hpp"
#include "tagging/given.hpp"
#include "treebank/batch.hpp"

namespace arbora::neural {

// Sets UPOS, XPOS and FEATS, or with `keep` those that are `_`: the best row of tags that the treebank has, of those that
// agree with what a word has. The states are those of the batch, and the model has heads for tags.
void tag(const NeuralModel& model, std::shared_ptr<const TagNames> names, const States& states, bool keep, int threads,
         treebank::Batch& batch);

}  // namespace arbora::neural
