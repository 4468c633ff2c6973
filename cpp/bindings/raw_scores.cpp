// Scores and gradients before any inference: what tests look at, and what graphs of parts are made of.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "parsing.hpp"

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

ShortWeights table_of(const HeldWeights& weights, std::size_t extra) { return weights.table(extra); }

// A sentence prepared for all templates; `heads` of words 1..n, or none where no tree is looked at.
Prepared prepare(const Structure& structure, const Encoded& encoded, std::size_t sentence, std::vector<int> heads) {
    if (sentence >= encoded.sentences()) throw nb::index_error("there are fewer sentences");
    Prepared prepared;
    prepared.set(structure.templates, encoded, sentence, ~0u);
    if (heads.empty()) return prepared;
    if (static_cast<int>(heads.size()) != prepared.n()) throw nb::value_error("every word needs a head");
    heads.insert(heads.begin(), -1);
    prepared.set_tree(structure.templates, encoded, sentence, heads.data());
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
std::vector<float> arc_scores(const Structure& structure, bool of_pruner, const AnyWeights& weights,
                              const Encoded& encoded, std::size_t sentence, const ArcSpec& spec) {
    const Prepared prepared = prepare(structure, encoded, sentence, {});
    const ArcFeatures& features = of_pruner ? structure.pruner.features() : structure.model.arcs();
    const auto table = table_of(weights, of_pruner ? 0 : structure.model.labeler().padding());
    const auto width = static_cast<std::size_t>(prepared.width());
    std::vector<float> scores(spec.empty() ? width * width : spec.size());
    if (spec.empty())
        features.score(prepared, table, scores.data());
    else
        features.score(prepared, table, arcs_of(spec, prepared.n()), scores.data());
    return scores;
}

template <class AnyWeights>
std::vector<std::vector<float>> label_scores(const Structure& structure, bool of_labeler,
                                             const AnyWeights& weights, const Encoded& encoded,
                                             std::size_t sentence, const std::vector<int>& heads,
                                             const ArcSpec& spec) {
    const Prepared prepared = prepare(structure, encoded, sentence, heads);
    const LabelFeatures& features = of_labeler ? structure.model.labeler() : structure.model.joint_labels();
    const auto stride = static_cast<std::size_t>(features.stride());
    std::vector<float> scores(spec.size() * stride);
    features.score(prepared, table_of(weights, features.padding()), arcs_of(spec, prepared.n()), scores.data());
    std::vector<std::vector<float>> result;
    for (std::size_t a = 0; a < spec.size(); ++a)
        result.emplace_back(scores.begin() + a * stride, scores.begin() + a * stride + features.labels());
    return result;
}

template <class AnyWeights>
std::vector<float> sibling_scores(const Structure& structure, const AnyWeights& weights,
                                  const Encoded& encoded, std::size_t sentence, const std::vector<int>& heads,
                                  int head) {
    const Prepared prepared = prepare(structure, encoded, sentence, heads);
    if (head < 0 || head > prepared.n()) throw nb::value_error("there is no such head");
    const LabelFeatures& features = structure.model.labeler();
    std::vector<float> scores(static_cast<std::size_t>(features.states()) * features.states());
    features.score_siblings(prepared, table_of(weights, features.padding()), head, scores.data());
    return scores;
}

}  // namespace

void bind_raw_scores(StructureClass& structure) {
    structure
        .def("arc_scores", &arc_scores<HeldWeights>, "of_pruner"_a, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a)
        .def("arc_scores", &arc_scores<LearnedWeights>, "of_pruner"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "arcs"_a, "Sums of the weights of arcs (head, modifier); without a list, of all arcs as a flat table.")
        .def("label_scores", &label_scores<HeldWeights>, "of_labeler"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "heads"_a, "arcs"_a)
        .def("label_scores", &label_scores<LearnedWeights>, "of_labeler"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "heads"_a, "arcs"_a,
             "Sums of the weights of every label of arcs; heads are the tree that the labeler sees.")
        .def("sibling_scores", &sibling_scores<HeldWeights>, "weights"_a, "encoded"_a, "sentence"_a, "heads"_a,
             "head"_a)
        .def("sibling_scores", &sibling_scores<LearnedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "heads"_a,
             "head"_a, "Sums of the weights of neighbouring labels below a head, flat; the last are start and end.");
}

}  // namespace arbora
