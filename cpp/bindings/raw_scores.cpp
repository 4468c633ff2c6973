// Scores and gradients before any inference: what tests look at, and what graphs of parts are made of.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "parsing.hpp"
#include "parsing/sentence_loss.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace arbora {
namespace {

using LearnedWeights = Array<const float>;

Weights table_of(const LearnedWeights& weights, std::size_t extra) {
    const std::size_t size = weights.shape(0) - extra;
    if (weights.shape(0) <= extra || (size & (size - 1)) || size < 16)
        throw nb::value_error("the weights are not a power of two and a block of labels");
    return {weights.data(), static_cast<std::uint32_t>(size - 1)};
}

ShortWeights table_of(const LoadedWeights& weights, std::size_t extra) { return weights.table(extra); }

// A sentence prepared for all templates; `heads` of words 1..n, or none where no tree is looked at.
Prepared prepare(const LinearModel& model, const Encoded& encoded, std::size_t sentence, std::vector<int> heads) {
    expect_place(sentence, encoded.sentences(), "sentence");
    check_tags(model, encoded);
    Prepared prepared;
    prepared.set(model.templates, encoded, sentence, ~0u);
    if (heads.empty()) return prepared;
    expect_length(heads.size(), prepared.n(), "heads");
    expect_all_between(heads.data(), heads.size(), 0, prepared.n(), "heads");
    heads.insert(heads.begin(), -1);
    prepared.set_tree(model.templates, encoded, sentence, heads.data());
    return prepared;
}

std::vector<Arc> arcs_of(const ArcSpec& spec, int n) {
    std::vector<Arc> result;
    for (const auto& [head, modifier] : spec) {
        if (head < 0 || head > n || modifier < 1 || modifier > n || head == modifier)
            throw nb::value_error("there is no such arc");
        result.push_back({head, modifier});
    }
    return result;
}

template <class AnyWeights>
std::vector<float> arc_scores(const LinearModel& model, bool of_pruner, const AnyWeights& weights,
                              const Encoded& encoded, std::size_t sentence, const ArcSpec& spec) {
    const Prepared prepared = prepare(model, encoded, sentence, {});
    const ArcFeatures& features = of_pruner ? model.pruner.features() : model.first_order.arcs();
    const auto table = table_of(weights, of_pruner ? 0 : model.padding());
    const auto width = static_cast<std::size_t>(prepared.width());
    std::vector<float> scores(spec.empty() ? width * width : spec.size());
    if (spec.empty())
        features.score(prepared, table, scores.data());
    else
        features.score(prepared, table, arcs_of(spec, prepared.n()), scores.data());
    return scores;
}

template <class AnyWeights>
std::vector<std::vector<float>> row_scores(const LinearModel& model, const LabelFeatures& features,
                                           const AnyWeights& weights, const Encoded& encoded, std::size_t sentence,
                                           const std::vector<int>& heads, const ArcSpec& spec) {
    const Prepared prepared = prepare(model, encoded, sentence, heads);
    const auto stride = static_cast<std::size_t>(features.stride());
    std::vector<float> scores(spec.size() * stride);
    features.score(prepared, table_of(weights, model.padding()), arcs_of(spec, prepared.n()), scores.data());
    std::vector<std::vector<float>> result;
    for (std::size_t a = 0; a < spec.size(); ++a)
        result.emplace_back(scores.begin() + a * stride, scores.begin() + a * stride + features.labels());
    return result;
}

template <class AnyWeights>
std::vector<std::vector<float>> label_scores(const LinearModel& model, bool of_labeler, const AnyWeights& weights,
                                             const Encoded& encoded, std::size_t sentence,
                                             const std::vector<int>& heads, const ArcSpec& spec) {
    const LabelFeatures& features = of_labeler ? model.first_order.labeler() : model.first_order.joint_labels();
    return row_scores(model, features, weights, encoded, sentence, heads, spec);
}

template <class AnyWeights>
std::vector<std::vector<float>> role_scores(const LinearModel& model, const AnyWeights& weights, const Encoded& encoded,
                                            std::size_t sentence, const ArcSpec& spec) {
    return row_scores(model, model.first_order.roles(), weights, encoded, sentence, {}, spec);
}

template <class AnyWeights>
std::vector<float> sibling_scores(const LinearModel& model, const AnyWeights& weights, const Encoded& encoded,
                                  std::size_t sentence, const std::vector<int>& heads, int head) {
    const Prepared prepared = prepare(model, encoded, sentence, heads);
    expect_between(head, 0, prepared.n(), "head");
    const LabelFeatures& features = model.first_order.labeler();
    std::vector<float> scores(static_cast<std::size_t>(features.states()) * features.states());
    features.score_siblings(prepared, table_of(weights, model.padding()), head, scores.data());
    return scores;
}

// For every kind of part: the words (head, modifier, third, fourth), the codes (direction, distance), the scores.
template <class AnyWeights>
nb::list part_scores(const LinearModel& model, const AnyWeights& weights, const Encoded& encoded, std::size_t sentence,
                     const ArcSpec& spec) {
    const Prepared prepared = prepare(model, encoded, sentence, {});
    SentenceParts parts;
    model.higher.score(prepared, table_of(weights, model.padding()), arcs_of(spec, prepared.n()), parts);
    nb::list result;
    for (int k = 0; k < part_kind_count; ++k) {
        const std::size_t count = parts.parts[k].size();
        int *words, *codes;
        double* scores;
        auto all_words = new_array<int, 2>({count, 4}, words);
        auto all_codes = new_array<int, 2>({count, 2}, codes);
        auto all_scores = new_array<double, 1>({count}, scores);
        for (std::size_t i = 0; i < count; ++i) {
            const Part& part = parts.parts[k][i];
            for (int word : {part.head, part.modifier, part.third, part.fourth}) *words++ = word;
            *codes++ = part.direction;
            *codes++ = part.distance;
            scores[i] = parts.scores[k][i];
        }
        result.append(nb::make_tuple(std::move(all_words), std::move(all_codes), std::move(all_scores)));
    }
    return result;
}

// Of tags, of two that arcs between words link, of two and of three in a row: flat.
template <class AnyWeights>
std::array<std::vector<double>, 4> tag_scores(const LinearModel& model, const AnyWeights& weights,
                                              const Encoded& encoded, std::size_t sentence, const ArcSpec& spec) {
    const Prepared prepared = prepare(model, encoded, sentence, {});
    TagNumbers scores;
    model.higher.tags().score(prepared, table_of(weights, model.padding()), arcs_of(spec, prepared.n()), scores);
    return {scores.words, scores.links, scores.bigrams, scores.trigrams};
}

// The loss of one sentence without its second stage: its value, and its gradient as places of weights and numbers.
std::tuple<double, std::vector<std::uint32_t>, std::vector<float>> loss_of(
    const LinearModel& model, const LearnedWeights& weights, const Encoded& encoded, std::size_t sentence,
    const Array<const int>& heads, const Array<const int>& labels, const ArcSpec& spec, double beta, double gamma,
    const TreeOptions& trees, const OptionalIntegers& tags) {
    expect_place(sentence, encoded.sentences(), "sentence");
    check_tags(model, encoded);
    const int n = encoded.length(sentence);
    expect_length(heads, n, "heads");
    expect_all_between(heads.data(), n, -1, n, "heads");
    expect_length(labels, n, "labels");
    expect_all_between(labels.data(), n, -1, model.first_order.labels() - 1, "labels");
    if (data_of(tags)) {
        expect_length(*tags, n, "tags");
        for (int word = 0; word < n; ++word)
            expect_between(tags->data()[word], 0,
                           static_cast<std::ptrdiff_t>(encoded.tags(encoded.start(sentence) + word).size()) - 1,
                           "tags");
    }
    SparseSum sum;
    LinearSentence<float> scores(model, table_of(weights, model.padding()), encoded, sentence, ~0u);
    scores.add_gradients_to(sum);
    const GoldTree gold{heads.data() - 1, labels.data() - 1, data_of(tags) ? data_of(tags) - 1 : nullptr};
    const double loss = differentiate_trees(kinds_of(model), scores, n, arcs_of(spec, n), gold,
                                            {{beta, gamma}, trees.kind, trees.graph});
    std::vector<std::uint32_t> places;
    std::vector<float> values;
    sum.for_each([&](std::uint32_t index, float value) {
        places.push_back(index);
        values.push_back(value);
    });
    return {loss, places, values};
}

}  // namespace

void bind_raw_scores(ModelClass& model) {
    model.def("arc_scores", &arc_scores<LoadedWeights>, "of_pruner"_a, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a)
        .def("arc_scores", &arc_scores<LearnedWeights>, "of_pruner"_a, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a,
             "Sums of the weights of arcs (head, modifier); without a list, of all arcs as a flat table.")
        .def("label_scores", &label_scores<LoadedWeights>, "of_labeler"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "heads"_a, "arcs"_a)
        .def("label_scores", &label_scores<LearnedWeights>, "of_labeler"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "heads"_a, "arcs"_a,
             "Sums of the weights of every label of arcs; heads are the tree that the labeler sees.")
        .def("role_scores", &role_scores<LoadedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a)
        .def("role_scores", &role_scores<LearnedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a,
             "Sums of the weights of every hidden role of arcs.")
        .def("tag_scores", &tag_scores<LoadedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a)
        .def("tag_scores", &tag_scores<LearnedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a,
             "Scores of all tags that words may have, of two that arcs between words link, of two and of three in a "
             "row: "
             "each flat.")
        .def("sibling_scores", &sibling_scores<LoadedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "heads"_a,
             "head"_a)
        .def("sibling_scores", &sibling_scores<LearnedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "heads"_a,
             "head"_a, "Sums of the weights of neighbouring labels below a head, flat; the last are start and end.")
        .def("part_scores", &part_scores<LoadedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a)
        .def("part_scores", &part_scores<LearnedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a,
             "For every kind of part (words, codes, scores): head, modifier, third, fourth; direction, distance.")
        .def("loss", &loss_of, "weights"_a, "encoded"_a, "sentence"_a, "heads"_a, "labels"_a, "arcs"_a, "beta"_a,
             "gamma"_a, "trees"_a, "tags"_a = nb::none(),
             "A sentence's loss over trees, and its gradient as places and numbers.");
}

}  // namespace arbora
