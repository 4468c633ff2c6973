// Batches of sentences as Python holds them.
#pragma once
#include <memory>

#include "treebank/batch.hpp"

namespace arbora {

// Held by pointer: a batch is made by one component and handed to the next.
using BatchPointer = std::unique_ptr<treebank::Batch>;

inline BatchPointer hold(treebank::Batch batch) { return std::make_unique<treebank::Batch>(std::move(batch)); }

}  // namespace arbora
