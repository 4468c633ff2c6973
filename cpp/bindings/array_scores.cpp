// arbora._core's scorer of arrays from outside, and losses with gradients for the same arrays.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
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

template <class Number>
std::vector<ScoreArrays<Number>> views_of(const AllArrays<Number>& arrays, std::size_t sentences) {
    constexpr std::size_t named = 6;
    if (arrays.size() != named + part_kind_count) throw nb::value_error("there are other kinds of scores");
    std::vector<ScoreArrays<Number>> result(sentences);
    for (std::size_t kind = 0; kind < arrays.size(); ++kind) {
        if (arrays[kind].empty()) continue;
        if (arrays[kind].size() != sentences) throw nb::value_error("every sentence needs an array");
        for (std::size_t i = 0; i < sentences; ++i) {
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
    AllArrays<const double> arrays;
    std::vector<PartArrays> parts;

    BoundArrayScorer(ArrayShape shape, std::vector<ArraySentence> sentences, AllArrays<const double> arrays,
                     std::vector<PartArrays> parts)
        : ArrayScorer(shape, std::move(sentences)), arrays(std::move(arrays)), parts(std::move(parts)) {}
};

void make_array_scorer(BoundArrayScorer* self, const std::vector<int>& lengths, AllArrays<const double> arrays,
                       std::vector<PartArrays> parts, int labels, int tags, double threshold, int most_heads) {
    const auto views = views_of(arrays, lengths.size());
    ArrayShape shape;
    shape.labels = labels;
    shape.tags = tags;
    shape.threshold = threshold;
    shape.most_heads = most_heads;
    std::vector<ArraySentence> sentences(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const auto& arcs = arrays[0].at(i);
        sentences[i].n = lengths[i];
        sentences[i].width = static_cast<int>(arcs.shape(0));
        sentences[i].scores = views[i];
        shape.arcs_have_labels = arcs.ndim() == 3;
        shape.labels_follow = views[i].labels;
        for (int k = 0; k < part_kind_count; ++k) {
            if (parts.at(k).empty()) continue;
            shape.parts[k] = true;
            const auto& [words, codes] = parts[k].at(i);
            sentences[i].parts[k] = {words.data(), codes.data(), codes.shape(0)};
        }
    }
    new (self) BoundArrayScorer(shape, std::move(sentences), std::move(arrays), std::move(parts));
}

// The losses of the sentences, and why one has none (empty: it has); gradients are added to the arrays.
nb::tuple array_losses(const BoundArrayScorer& scorer, const Array<const int>& heads, const OptionalIntegers& labels,
                       const OptionalIntegers& tags, double beta, double gamma, const TreeOptions& trees, int threads,
                       const AllArrays<double>& gradients) {
    const std::vector<std::size_t> starts = starts_of(scorer);
    const int* gold[] = {checked(heads, starts.back()), checked(labels, starts.back()), checked(tags, starts.back())};
    const auto views = views_of(gradients, scorer.sentences());
    const LossOptions options{{beta, gamma}, trees.kind, trees.graph};
    std::vector<double> losses(scorer.sentences());
    std::vector<std::string> reasons(scorer.sentences());
    {
        nb::gil_scoped_release release;
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
             "most_heads"_a,
             nb::sig("def __init__(self, lengths: list[int], arrays: list[list[typing.Any]], "
                     "parts: list[list[tuple[typing.Any, typing.Any]]], labels: int, tags: int, threshold: float, "
                     "most_heads: int) -> None"))
        .def("losses", &array_losses, "heads"_a, "labels"_a, "tags"_a, "beta"_a, "gamma"_a, "trees"_a, "threads"_a,
             "gradients"_a,
             nb::sig("def losses(self, heads: typing.Any, labels: typing.Any, tags: typing.Any, beta: float, "
                     "gamma: float, trees: TreeOptions, threads: int, gradients: list[list[typing.Any]]) "
                     "-> tuple[typing.Any, list[str]]"),
             "The losses of the sentences, and why one has none; gradients are added to arrays like those of scores.");
}
