// arbora._core's scorer of arrays from outside, and losses with gradients for the same arrays.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <climits>

#include "arrays.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"
#include "parsing/array_loss.hpp"
#include "scoring.hpp"
#include "support/parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

template <class Number>
using AnyArray = nb::ndarray<Number, nb::c_contig, nb::device::cpu>;
template <class Number>
using ArraysOfSentences = std::vector<AnyArray<Number>>;
// In the order of ScoreArrays: arcs, labels, tags, links, bigrams, trigrams of tags, then parts by kind. Each has an array
// for every sentence, or is empty.
template <class Number>
using AllArrays = std::vector<ArraysOfSentences<Number>>;

constexpr std::size_t named = 6;
constexpr const char* kind_names[] = {"arcs", "labels", "tags", "tag_links", "tag_bigrams", "tag_trigrams"};

// That the array of a kind fits a sentence with `parts` parts of that kind, if it is a kind of parts.
template <class Number>
void check_shape(const AnyArray<Number>& array, std::size_t kind, const ArrayShape& shape, std::size_t width,
                 std::size_t parts) {
    const auto labels = static_cast<std::size_t>(shape.labels), tags = static_cast<std::size_t>(shape.tags);
    const char* name = kind < named ? kind_names[kind] : "parts";
    switch (kind) {
        case 0:
            if (shape.arcs_have_labels) return expect_shape(array, {width, width, labels}, name);
            return expect_shape(array, {width, width}, name);
        case 1: return expect_shape(array, {width, width, labels}, name);
        case 2: return expect_shape(array, {width, tags}, name);
        case 3: return expect_shape(array, {width, width, tags, tags}, name);
        case 4: return expect_shape(array, {width, tags, tags}, name);
        case 5: return expect_shape(array, {width, tags, tags, tags}, name);
        default: return expect_shape(array, {parts}, name);
    }
}

template <class Number>
std::vector<ScoreArrays<Number>> views_of(const AllArrays<Number>& arrays, const ArrayShape& shape,
                                          const std::vector<ArraySentence>& fitting) {
    const std::size_t sentences = fitting.size();
    expect_length(arrays.size(), named + part_kind_count, "arrays");
    std::vector<ScoreArrays<Number>> result(sentences);
    for (std::size_t kind = 0; kind < arrays.size(); ++kind) {
        if (arrays[kind].empty()) continue;
        expect_length(arrays[kind].size(), sentences, kind < named ? kind_names[kind] : "parts");
        for (std::size_t i = 0; i < sentences; ++i) {
            check_shape(arrays[kind][i], kind, shape, fitting[i].width,
                        kind < named ? 0 : fitting[i].parts[kind - named].count);
            ScoreArrays<Number>& own = result[i];
            Number** places[named] = {&own.arcs,      &own.labels,      &own.tags,
                                      &own.tag_links, &own.tag_bigrams, &own.tag_trigrams};
            (kind < named ? *places[kind] : own.parts[kind - named]) = arrays[kind][i].data();
        }
    }
    return result;
}

// The words and codes of the parts of a kind, for every sentence.
using PartArrays = std::vector<std::tuple<AnyArray<const int>, AnyArray<const int>>>;

// A scorer with the arrays that it looks at.
struct BoundArrayScorer : ArrayScorer {
    ArrayShape shape;
    std::vector<ArraySentence> fitting;  // what gradients must fit
    AllArrays<const double> arrays;
    std::vector<PartArrays> parts;

    BoundArrayScorer(ArrayShape shape, std::vector<ArraySentence> sentences, AllArrays<const double> arrays,
                     std::vector<PartArrays> parts)
        : ArrayScorer(shape, sentences),
          shape(shape),
          fitting(std::move(sentences)),
          arrays(std::move(arrays)),
          parts(std::move(parts)) {}
};

// The parts of a kind that a sentence has scores for, if there are any.
PartList listed_parts(const PartArrays& own, std::size_t sentence, int n) {
    const auto& [words, codes] = own[sentence];
    const std::size_t count = codes.size();
    expect_shape(codes, {count}, "codes of parts");
    expect_shape(words, {count, 4}, "words of parts");
    expect_all_between(words.data(), 4 * count, 0, n + 1, "words of parts");
    return {words.data(), codes.data(), count};
}

void make_array_scorer(BoundArrayScorer* self, const std::vector<int>& lengths, AllArrays<const double> arrays,
                       std::vector<PartArrays> parts, int labels, int tags, double threshold, int most_heads,
                       int root_label, bool root_label_alone) {
    expect_length(arrays.size(), named + part_kind_count, "arrays");
    expect_length(arrays[0].size(), lengths.size(), "arcs");
    expect_length(parts.size(), part_kind_count, "parts");
    expect_between(labels, 0, INT_MAX, "labels");
    expect_between(tags, 0, INT_MAX, "tags");
    expect_between(root_label, -1, labels - 1, "root_label");
    if (tags) expect_length(arrays[2].size(), lengths.size(), "tags");
    ArrayShape shape;
    shape.labels = labels;
    shape.tags = tags;
    shape.threshold = threshold;
    shape.most_heads = most_heads;
    shape.root_label = root_label;
    shape.root_label_alone = root_label >= 0 && root_label_alone;
    shape.arcs_have_labels = !lengths.empty() && arrays[0][0].ndim() == 3;
    shape.labels_follow = !lengths.empty() && !arrays[1].empty();
    std::vector<ArraySentence> sentences(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        sentences[i].n = lengths[i];
        sentences[i].width = arrays[0][i].ndim() ? static_cast<int>(arrays[0][i].shape(0)) : 0;
        expect_between(lengths[i], 0, sentences[i].width - 1, "lengths");
    }
    for (int k = 0; k < part_kind_count; ++k) {
        shape.parts[k] = !parts[k].empty();
        if (!shape.parts[k]) continue;
        expect_length(parts[k].size(), lengths.size(), "parts");
        expect_length(arrays[named + k].size(), lengths.size(), "scores of parts");
        for (std::size_t i = 0; i < lengths.size(); ++i) sentences[i].parts[k] = listed_parts(parts[k], i, lengths[i]);
    }
    const auto views = views_of(arrays, shape, sentences);
    for (std::size_t i = 0; i < lengths.size(); ++i) sentences[i].scores = views[i];
    new (self) BoundArrayScorer(shape, std::move(sentences), std::move(arrays), std::move(parts));
}

// The losses of the sentences, and why one has none (empty: it has); gradients are added to the arrays.
nb::tuple array_losses(const BoundArrayScorer& scorer, const Array<const int>& heads, const OptionalIntegers& labels,
                       const OptionalIntegers& tags, double beta, double gamma, const TreeOptions& trees, int threads,
                       const AllArrays<double>& gradients) {
    const std::vector<std::size_t> starts = starts_of(scorer);
    const std::size_t count = scorer.sentences();
    const int* gold[] = {checked_heads(scorer, 0, count, heads, "heads"),
                         checked_numbers(scorer, 0, count, labels, scorer.shape.labels, "labels"),
                         checked_numbers(scorer, 0, count, tags, scorer.shape.tags, "tags")};
    for (std::size_t i = 0; i < count; ++i)
        if (gold[2]) expect_all_between(gold[2] + starts[i] + 1, scorer.length(i), 0, scorer.shape.tags - 1, "tags");
    const auto views = views_of(gradients, scorer.shape, scorer.fitting);
    const LossOptions options{{beta, gamma}, trees.kind, trees.graph};
    std::vector<double> losses(scorer.sentences());
    std::vector<std::string> reasons(scorer.sentences());
    {
        const Unlocked unlocked;
        parallel_for(scorer.sentences(), threads, [&](std::size_t i) {
            const auto own = [&](const int* all) { return all ? all + starts[i] : nullptr; };
            try {
                losses[i] = differentiate(scorer, i, {own(gold[0]), own(gold[1]), own(gold[2])}, options, views[i]);
            } catch (const Infeasible& error) {
                reasons[i] = error.what();
            }
        });
    }
    return nb::make_tuple(array_of(losses), reasons);
}

}  // namespace

void bind_array_scorer(nb::module_& m) {
    nb::class_<BoundArrayScorer, Scorer>(
        m, "ArrayScorer",
        "Scores that come as arrays: arcs, labels that follow, tags, links, bigrams and "
        "trigrams of tags, then the parts of every kind; each a list of an array for "
        "every sentence, or empty. They are looked at, not copied.")
        .def("__init__", &make_array_scorer, "lengths"_a, "arrays"_a, "parts"_a, "labels"_a, "tags"_a, "threshold"_a,
             "most_heads"_a, "root_label"_a = -1, "root_label_alone"_a = false,
             nb::sig("def __init__(self, lengths: list[int], arrays: list[list[typing.Any]], "
                     "parts: list[list[tuple[typing.Any, typing.Any]]], labels: int, tags: int, threshold: float, "
                     "most_heads: int, root_label: int = -1, root_label_alone: bool = False) -> None"))
        .def("losses", &array_losses, "heads"_a, "labels"_a, "tags"_a, "beta"_a, "gamma"_a, "trees"_a, "threads"_a,
             "gradients"_a,
             nb::sig("def losses(self, heads: typing.Any, labels: typing.Any, tags: typing.Any, beta: float, "
                     "gamma: float, trees: TreeOptions, threads: int, gradients: list[list[typing.Any]]) "
                     "-> tuple[typing.Any, list[str]]"),
             "The losses of the sentences, and why one has none; gradients are added to arrays like those of scores.");
}
