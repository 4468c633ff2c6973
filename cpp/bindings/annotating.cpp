// Trees for the sentences of a batch, by scores of any kind.
#include "annotating.hpp"

#include "batches.hpp"
#include "checks.hpp"
#include "interruption.hpp"
#include "scoring.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace arbora {

namespace {

// Heads that bind are words of their own sentences: those that are given, or those in the columns.
void check_heads(const AnnotationOptions& options, const treebank::Batch& batch) {
    std::size_t at = 0;
    for (const treebank::AnnotatedSentence& sentence : batch.sentences) {
        const auto n = static_cast<std::ptrdiff_t>(sentence.words());
        if (!options.given_heads.empty())
            expect_all_between(options.given_heads.data() + at, sentence.words(), -1, n, "given_heads");
        else if (options.constraints)
            expect_all_between(sentence.block.heads.data(), sentence.words(), treebank::kUnknownHead, n, "heads");
        at += sentence.words();
    }
}

}  // namespace

AnnotationOptions annotation_options(const TreeOptions& trees, bool least_risk, bool probabilities, bool constraints,
                                     int threads, const OptionalIntegers& given_heads,
                                     const OptionalIntegers& given_labels, int labels, const treebank::Batch& batch) {
    AnnotationOptions options;
    options.parse = trees.parse_options(least_risk ? Decoder::least_risk : Decoder::best, probabilities);
    options.constraints = constraints;
    options.threads = threads;
    const auto view = [&](const OptionalIntegers& given, const char* name) -> std::span<const int> {
        if (!given) return {};
        expect_length(*given, batch.words(), name);
        return {given->data(), given->shape(0)};
    };
    options.given_heads = view(given_heads, "given_heads");
    options.given_labels = view(given_labels, "given_labels");
    check_heads(options, batch);
    expect_all_between(options.given_labels.data(), options.given_labels.size(), -1, labels - 1, "given_labels");
    return options;
}

namespace {

void check_same_sentences(const Scorer& scorer, const ParserNames& names, const treebank::Batch& batch) {
    expect_length(batch.sentences.size(), scorer.sentences(), "sentences of the batch");
    for (std::size_t i = 0; i < scorer.sentences(); ++i)
        if (!batch.sentences[i].refusal.code)
            expect_length(batch.sentences[i].words(), scorer.length(i), "words of a sentence");
    expect_length(names.labels.count(), scorer.kinds().labels, "names of labels");
    if (names.tags.count()) expect_length(names.tags.count(), scorer.kinds().tags, "names of tags");
}

void annotate_scored(const Scorer& scorer, std::shared_ptr<const ParserNames> names, treebank::Batch& batch,
                     const TreeOptions& trees, bool least_risk, bool probabilities, bool constraints, int threads,
                     const OptionalIntegers& given_heads, const OptionalIntegers& given_labels) {
    check_same_sentences(scorer, *names, batch);
    const AnnotationOptions options = annotation_options(trees, least_risk, probabilities, constraints, threads,
                                                         given_heads, given_labels, scorer.kinds().labels, batch);
    const Unlocked unlocked;
    annotate(scorer, std::move(names), options, batch);
}

BatchPointer annotate_scored_kbest(const Scorer& scorer, std::shared_ptr<const ParserNames> names,
                                   treebank::Batch& batch, const TreeOptions& trees, bool constraints, int threads,
                                   int k) {
    check_same_sentences(scorer, *names, batch);
    const AnnotationOptions options =
        annotation_options(trees, false, true, constraints, threads, std::nullopt, std::nullopt, 0, batch);
    const Unlocked unlocked;
    return hold(annotate_kbest(scorer, std::move(names), options, k, batch));
}

}  // namespace

void bind_annotating(nb::class_<Scorer>& scorers) {
    scorers
        .def("annotate", &annotate_scored, "names"_a, "batch"_a, "trees"_a, "least_risk"_a, "probabilities"_a,
             "constraints"_a, "threads"_a, "given_heads"_a = nb::none(), "given_labels"_a = nb::none(),
             "Gives trees to the sentences of a batch, which are those that have the scores. `given_heads` and "
             "`given_labels`, of all words, bind as those in the columns do with `constraints`; -1 is not known.")
        .def("annotate_kbest", &annotate_scored_kbest, "names"_a, "batch"_a, "trees"_a, "constraints"_a, "threads"_a,
             "k"_a, "A batch in which every sentence comes with each of its k best trees.");
}

}  // namespace arbora
