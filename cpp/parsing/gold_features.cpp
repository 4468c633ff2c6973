#include "parsing/gold_features.hpp"

#include <utility>

#include "linear/hashing.hpp"

namespace arbora {
namespace {

// Features are told apart by so many bits of their hashes.
constexpr int count_bits = 28;

// The greatest weight that a feature of a hidden role or tag begins with.
constexpr float noise_size = 0.05f;

// Different places of a large table.
class Places {
public:
    Places() : seen_(((std::size_t{1} << count_bits) + 64) / 64 + 1, 0) {}

    void add(SparseSum& sum) {
        sum.for_each([&](std::uint32_t index, float) {
            std::uint64_t& word = seen_[index / 64];
            const std::uint64_t bit = std::uint64_t{1} << (index % 64);
            count_ += !(word & bit);
            word |= bit;
        });
        sum.clear();
    }
    std::size_t count() const { return count_; }

private:
    std::vector<std::uint64_t> seen_;
    std::size_t count_ = 0;
};

std::vector<Arc> arcs_of(const int* heads, int n) {
    std::vector<Arc> result;
    for (int m = 1; m <= n; ++m) result.push_back({heads[m], m});
    return result;
}

// All features of the arcs; of the parts over them, those of the tree, or all if `heads` is null.
void add_features(const LinearModel& model, const Prepared& prepared, const std::vector<Arc>& arcs, const int* heads,
                  std::uint32_t mask, SparseSum& sum) {
    std::vector<ArcGradient> gradients;
    for (const Arc& arc : arcs) gradients.push_back({arc.head, arc.modifier, 1});
    model.first_order.arcs().add_gradient(prepared, mask, gradients, sum);
    if (!model.higher.has_parts()) return;
    SentenceParts parts;
    model.higher.list(arcs, prepared.n(), parts);
    PartNumbers<double> counts;
    if (heads) {
        Arena arena;
        const PartGraph graph(parts, std::vector<double>(arcs.size(), 0.0), {false}, {false, false}, 1);
        graph.add_parts_of_tree(heads, 1, counts, arena);
    } else {
        for (int k = 0; k < part_kind_count; ++k) counts[k].assign(parts.parts[k].size(), 1.0);
    }
    model.higher.add_gradient(prepared, mask, parts, counts, sum);
}

// All roles of the arcs, and all tags that words may have, linked by the arcs.
void add_hidden(const LinearModel& model, const Prepared& prepared, const std::vector<Arc>& arcs, std::uint32_t mask,
                SparseSum& sum) {
    const LabelFeatures& roles = model.first_order.roles();
    const std::vector<float> all(arcs.size() * roles.labels(), 1.0f);
    roles.add_gradient(prepared, mask, arcs, all.data(), sum);
    if (model.higher.tags().tags()) model.higher.tags().add_all(prepared, mask, arcs, sum);
}

// A number from -1 to 1.
float noise_of(std::uint64_t seed, std::uint32_t place) {
    const std::uint64_t bits = mix_bits(combine(mix_bits(seed), place));
    return static_cast<float>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
}

}  // namespace

void break_symmetry(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                    std::uint64_t seed) {
    Prepared prepared;
    SparseSum sum;
    for (std::size_t sentence = 0; sentence < encoded.sentences(); ++sentence) {
        prepared.set(model.templates, encoded, sentence, ~bit_of(Section::pruner));
        const int* heads = gold.heads + encoded.start(sentence) - 1;
        add_hidden(model, prepared, arcs_of(heads, prepared.n()), learner.mask(), sum);
        sum.for_each(
            [&](std::uint32_t place, float) { learner.current()[place] = noise_size * noise_of(seed, place); });
        sum.clear();
    }
}

void support(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
             const std::vector<std::size_t>& sentences) {
    Prepared prepared;
    SparseSum sum;
    const LabelFeatures& features = model.first_order.labeler();
    const std::uint32_t mask = learner.mask();
    const int states = features.states();
    for (std::size_t sentence : sentences) {
        prepared.set(model.templates, encoded, sentence, ~bit_of(Section::pruner));
        const int n = prepared.n();
        const int* heads = gold.heads + encoded.start(sentence) - 1;
        const int* labels = gold.labels + encoded.start(sentence) - 1;
        prepared.set_tree(model.templates, encoded, sentence, heads);
        const std::vector<Arc> arcs = arcs_of(heads, n);
        add_features(model, prepared, arcs, heads, mask, sum);
        std::vector<float> of_labels(static_cast<std::size_t>(n) * features.labels());
        for (int m = 1; m <= n; ++m)
            if (labels[m] >= 0) of_labels[static_cast<std::size_t>(m - 1) * features.labels() + labels[m]] = 1;
        model.first_order.joint_labels().add_gradient(prepared, mask, arcs, of_labels.data(), sum);
        add_hidden(model, prepared, arcs, mask, sum);
        features.add_gradient(prepared, mask, arcs, of_labels.data(), sum);
        for (const auto& words : families_of(heads, n)) {
            std::vector<float> pairs(static_cast<std::size_t>(states) * states);
            int previous = features.labels();
            const auto support_pair = [&](int left, int right) {
                if (left >= 0 && right >= 0) pairs[static_cast<std::size_t>(left) * states + right] = 1;
            };
            for (int m : words.modifiers) support_pair(std::exchange(previous, labels[m]), labels[m]);
            support_pair(previous, features.labels());
            features.add_sibling_gradient(prepared, mask, words.head, pairs.data(), sum);
        }
        learner.allow(sum);
    }
}

FeatureCounts count_features(const LinearModel& model, const Encoded& encoded, GoldTrees gold,
                             const std::vector<std::vector<Arc>>& arcs) {
    constexpr std::uint32_t mask = (1u << count_bits) - 1;
    Prepared prepared;
    SparseSum sum;
    Places supported, complete;
    for (std::size_t sentence = 0; sentence < encoded.sentences(); ++sentence) {
        prepared.set(model.templates, encoded, sentence, ~bit_of(Section::pruner));
        const int* heads = gold.heads + encoded.start(sentence) - 1;
        add_features(model, prepared, arcs_of(heads, prepared.n()), heads, mask, sum);
        supported.add(sum);
        add_features(model, prepared, arcs[sentence], nullptr, mask, sum);
        complete.add(sum);
    }
    return {supported.count(), complete.count()};
}

std::vector<double> template_masses(const Templates& templates, Section section, int labels, ShortWeights weights,
                                    const Encoded& encoded, GoldTrees gold) {
    std::vector<double> masses;
    Prepared prepared;
    SparseSum sum;
    const bool of_words = section == Section::tags;
    const bool is_hidden = of_words || section == Section::roles || section == Section::tag_links;
    const bool of_labels = is_hidden || section == Section::labels || section == Section::labeler;
    for (const Template& t : templates.of(section)) {
        const ArcFeatures arc_features({t});
        const LabelFeatures label_features({t}, {}, labels);
        for (std::size_t sentence = 0; sentence < encoded.sentences(); ++sentence) {
            prepared.set(templates, encoded, sentence, bit_of(section));
            const int* heads = gold.heads + encoded.start(sentence) - 1;
            const int* own = gold.labels + encoded.start(sentence) - 1;
            prepared.set_tree(templates, encoded, sentence, heads);
            std::vector<ArcGradient> gradients;
            std::vector<Arc> arcs;
            std::vector<float> values(static_cast<std::size_t>(prepared.n()) * labels, is_hidden ? 1.0f : 0.0f);
            for (int m = 1; m <= prepared.n(); ++m) {
                gradients.push_back({heads[m], m, 1});
                arcs.push_back({of_words ? 0 : heads[m], m});
                if (own[m] >= 0 && !is_hidden) values[static_cast<std::size_t>(m - 1) * labels + own[m]] = 1;
            }
            if (of_labels)
                label_features.add_gradient(prepared, weights.mask, arcs, values.data(), sum);
            else
                arc_features.add_gradient(prepared, weights.mask, gradients, sum);
        }
        double mass = 0;
        sum.for_each([&](std::uint32_t index, float) {
            const double weight = weights.step * weights.data[index];
            mass += weight * weight;
        });
        sum.clear();
        masses.push_back(mass);
    }
    return masses;
}

}  // namespace arbora
