// Batches of sentences as Python holds them.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "treebank/batch.hpp"

namespace arbora {

// Held by pointer: a batch is made by one component and handed to the next.
using BatchPointer = std::unique_ptr<treebank::Batch>;

inline BatchPointer hold(treebank::Batch batch) { return std::make_unique<treebank::Batch>(std::move(batch)); }

inline treebank::AnnotatedSentence& sentence_at(treebank::Batch& batch, std::size_t place) {
    if (place >= batch.sentences.size()) throw nanobind::index_error("there is no such sentence");
    return batch.sentences[place];
}

// Adds what has to do with trees of phrases to the class.
void bind_constituents(nanobind::class_<treebank::Batch>& batches);

}  // namespace arbora
