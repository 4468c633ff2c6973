// Trees for the sentences of a batch.
#pragma once
#include <memory>
#include <span>

#include "parsing/linear_model.hpp"
#include "parsing/names.hpp"
#include "parsing/parses.hpp"
#include "parsing/scorer.hpp"
#include "treebank/batch.hpp"

namespace arbora {

// What a parser's numbers are called in a file: its labels, and its tags if it chooses some.
struct ParserNames {
    Names labels, tags;
};

struct AnnotationOptions {
    ParseOptions parse;
    bool constraints = false;  // heads and labels that are not `_` are kept, and heads that MISC forbids are none
    int threads = 1;
    // Heads of all words of the batch that were found elsewhere (-1: not known), instead of those in the columns; none
    // if it is empty. The same of labels, by their numbers.
    std::span<const int> given_heads = {}, given_labels = {};
};

// Sets heads and labels of all words, and empties DEPS of those whose head is another than it was. With probabilities, words get
// those of their heads and labels, sentences that of the tree. A parser with tags sets UPOS, among those that the
// sentence or MISC lists, and no longer does then. A sentence that has no tree is refused, with the code `infeasible`.
void annotate(const LinearParser& parser, std::shared_ptr<const ParserNames> names, const AnnotationOptions& options,
              treebank::Batch& batch);
// The same by scores of any kind: the scorer's sentences are those of the batch.
void annotate(const Scorer& scorer, std::shared_ptr<const ParserNames> names, const AnnotationOptions& options,
              treebank::Batch& batch);

// Every sentence with each of its k best trees, which know their ranks and probabilities; sentences without words once.
treebank::Batch annotate_kbest(const LinearParser& parser, std::shared_ptr<const ParserNames> names,
                               const AnnotationOptions& options, int k, treebank::Batch& batch);
treebank::Batch annotate_kbest(const Scorer& scorer, std::shared_ptr<const ParserNames> names,
                               const AnnotationOptions& options, int k, treebank::Batch& batch);

}  // namespace arbora
