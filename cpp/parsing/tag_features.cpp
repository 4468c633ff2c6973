#include "parsing/tag_features.hpp"

#include <algorithm>
#include <cmath>

namespace arbora {
namespace {

constexpr double negligible = 1e-3;

// A word as the modifier of an arc.
std::vector<Arc> words_of(int n) {
    std::vector<Arc> result;
    for (int word = 1; word <= n; ++word) result.push_back({0, word});
    return result;
}

// scores[i * labels + label] of arcs[i].
template <class Number>
void score_rows(const LabelFeatures& features, const Prepared& sentence, WeightTable<Number> weights,
                const std::vector<Arc>& arcs, std::vector<double>& scores) {
    thread_local std::vector<float> rows;
    const int labels = features.labels(), stride = features.stride();
    rows.resize(arcs.size() * stride);
    features.score(sentence, weights, arcs, rows.data());
    scores.resize(arcs.size() * labels);
    for (std::size_t a = 0; a < arcs.size(); ++a) std::copy_n(rows.data() + a * stride, labels, scores.data() + a * labels);
}

void add_rows(const LabelFeatures& features, const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
              const std::vector<double>& gradient, SparseSum& sum) {
    thread_local std::vector<float> values;
    values.clear();
    for (double value : gradient) values.push_back(std::abs(value) < negligible ? 0.0f : static_cast<float>(value));
    features.add_gradient(sentence, mask, arcs, values.data(), sum);
}

}  // namespace

TagFeatures::TagFeatures(const Templates& templates, int tags)
    : words_(templates.of(Section::tags), {}, tags), links_(templates.of(Section::tag_links), {}, tags * tags) {}

template <class Number>
void TagFeatures::score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                        TagNumbers& scores) const {
    scores.tags = tags();
    score_rows(words_, sentence, weights, words_of(sentence.n()), scores.words);
    score_rows(links_, sentence, weights, arcs, scores.links);
}

template void TagFeatures::score(const Prepared&, Weights, const std::vector<Arc>&, TagNumbers&) const;
template void TagFeatures::score(const Prepared&, ShortWeights, const std::vector<Arc>&, TagNumbers&) const;

void TagFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                               const TagNumbers& gradient, SparseSum& sum) const {
    add_rows(words_, sentence, mask, words_of(sentence.n()), gradient.words, sum);
    add_rows(links_, sentence, mask, arcs, gradient.links, sum);
}

}  // namespace arbora
