#include "parsing/higher_order.hpp"

#include <cmath>

#include "linear/learner.hpp"

namespace arbora {
HigherOrder::HigherOrder(const Templates& templates, int tags) : tags_(templates, tags), has_parts_(tags > 0) {
    for (int k = 0; k < part_kind_count; ++k) {
        const auto section = static_cast<Section>(static_cast<int>(first_part_section) + k);
        features_.emplace_back(templates.of(section));
        used_[k] = !features_[k].empty();
        has_parts_ |= used_[k];
    }
}

template <class Number>
void HigherOrder::score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                        SentenceParts& parts) const {
    parts.set(arcs, sentence.n(), used_);
    for (int k = 0; k < part_kind_count; ++k)
        if (used_[k]) features_[k].score(sentence, weights, parts.parts[k], parts.scores[k].data());
    if (tags_.tags()) tags_.score(sentence, weights, arcs, parts.tags);
}

template void HigherOrder::score(const Prepared&, Weights, const std::vector<Arc>&, SentenceParts&) const;
template void HigherOrder::score(const Prepared&, ShortWeights, const std::vector<Arc>&, SentenceParts&) const;

void HigherOrder::add_gradient(const Prepared& sentence, std::uint32_t mask, const SentenceParts& parts,
                               const PartNumbers<double>& gradient, SparseSum& sum) const {
    thread_local std::vector<float> values;
    for (int k = 0; k < part_kind_count; ++k) {
        if (!used_[k]) continue;
        values.clear();
        for (double value : gradient[k])
            values.push_back(std::abs(value) < negligible_gradient ? 0.0f : static_cast<float>(value));
        features_[k].add_gradient(sentence, mask, parts.parts[k], values.data(), sum);
    }
}

}  // namespace arbora
