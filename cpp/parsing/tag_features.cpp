#include "parsing/tag_features.hpp"

#include <algorithm>
#include <cmath>

#include "linear/learner.hpp"

namespace arbora {
namespace {

// A word as the modifier of an arc.
std::vector<Arc> words_of(int n) {
    std::vector<Arc> result;
    for (int word = 1; word <= n; ++word) result.push_back({0, word});
    return result;
}

}  // namespace

TagFeatures::TagFeatures(const Templates& templates, int tags) : tags_(tags) {
    const int pairs = tags * tags;
    int labels[] = {tags, pairs, pairs, pairs * tags};
    for (int s = 0; s < 4; ++s) {
        const auto& own = templates.of(static_cast<Section>(static_cast<int>(Section::tags) + s));
        features_.emplace_back(own, std::vector<Template>{}, s < 2 || !own.empty() ? labels[s] : 0);
    }
}

int TagFeatures::padding() const {
    int result = 0;
    for (const LabelFeatures& each : features_) result = std::max(result, each.padding());
    return result;
}

const TagFeatures::Listed& TagFeatures::list(const Prepared& sentence, const std::vector<Arc>& arcs) const {
    thread_local Listed listed;
    thread_local std::vector<std::vector<int>> all;
    const int n = sentence.n();
    all.resize(n + 1);
    for (int word = 1; word <= n; ++word) {
        all[word].clear();
        for (const WordTag& each : sentence.tags(word)) all[word].push_back(each.tag);
        for (int tag = 0; sentence.tags(word).empty() && tag < tags_; ++tag) all[word].push_back(tag);
    }
    for (SomeLabels* each : {&listed.words, &listed.links, &listed.bigrams, &listed.trigrams}) each->clear();
    for (int word = 1; word <= n; ++word) {
        listed.words.labels.insert(listed.words.labels.end(), all[word].begin(), all[word].end());
        listed.words.end_arc();
    }
    for (const Arc& arc : arcs) {
        if (arc.head)
            for (int t : all[arc.head])
                for (int u : all[arc.modifier]) listed.links.labels.push_back(t * tags_ + u);
        listed.links.end_arc();
    }
    for (int word = 1; has_chain() && word <= n; ++word) {
        if (word > 1)
            for (int t : all[word - 1])
                for (int u : all[word]) listed.bigrams.labels.push_back(t * tags_ + u);
        listed.bigrams.end_arc();
        if (word > 2 && labels(Section::tag_trigrams))
            for (int s : all[word - 2])
                for (int t : all[word - 1])
                    for (int u : all[word]) listed.trigrams.labels.push_back((s * tags_ + t) * tags_ + u);
        listed.trigrams.end_arc();
    }
    return listed;
}

template <class Number>
void TagFeatures::score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                        TagNumbers& scores) const {
    const Listed& listed = list(sentence, arcs);
    const std::vector<Arc> words = words_of(sentence.n());
    of(Section::tags).score_some(sentence, weights, words, listed.words, scores.words);
    scores.begins.assign(listed.words.begins.begin(), listed.words.begins.end());
    for (int word = 1; word <= sentence.n(); ++word) {
        double* own = scores.of_word(word);
        for (const WordTag& each : sentence.tags(word)) *own++ += each.score;
    }
    of(Section::tag_links).score_some(sentence, weights, arcs, listed.links, scores.links);
    scores.link_begins = listed.links.begins;
    scores.bigrams.assign(listed.bigrams.labels.size(), 0.0);
    scores.trigrams.clear();
    if (labels(Section::tag_bigrams))
        of(Section::tag_bigrams).score_some(sentence, weights, words, listed.bigrams, scores.bigrams);
    if (labels(Section::tag_trigrams))
        of(Section::tag_trigrams).score_some(sentence, weights, words, listed.trigrams, scores.trigrams);
}

template void TagFeatures::score(const Prepared&, Weights, const std::vector<Arc>&, TagNumbers&) const;
template void TagFeatures::score(const Prepared&, ShortWeights, const std::vector<Arc>&, TagNumbers&) const;

void TagFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                               const TagNumbers& gradient, SparseSum& sum) const {
    const Listed& listed = list(sentence, arcs);
    const std::vector<Arc> words = words_of(sentence.n());
    thread_local std::vector<float> values;
    const auto add = [&](Section section, const std::vector<Arc>& of_what, const SomeLabels& some,
                         const std::vector<double>& numbers) {
        if (!labels(section)) return;
        values.clear();
        for (double value : numbers)
            values.push_back(std::abs(value) < negligible_gradient ? 0.0f : static_cast<float>(value));
        of(section).add_gradient_of_some(sentence, mask, of_what, some, values, sum);
    };
    add(Section::tags, words, listed.words, gradient.words);
    add(Section::tag_links, arcs, listed.links, gradient.links);
    add(Section::tag_bigrams, words, listed.bigrams, gradient.bigrams);
    add(Section::tag_trigrams, words, listed.trigrams, gradient.trigrams);
}

void TagFeatures::add_all(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                          SparseSum& sum) const {
    const Listed& listed = list(sentence, arcs);
    TagNumbers ones;
    ones.words.assign(listed.words.labels.size(), 1.0);
    ones.links.assign(listed.links.labels.size(), 1.0);
    ones.bigrams.assign(listed.bigrams.labels.size(), 1.0);
    ones.trigrams.assign(listed.trigrams.labels.size(), 1.0);
    add_gradient(sentence, mask, arcs, ones, sum);
}

}  // namespace arbora
