// Parsers with every kind of template and random weights, and sentences for them. Tables have exactly the size that they
// must have, so that the sanitizers see what is read beside them.
#pragma once
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "check.hpp"
#include "parsing/linear_scorer.hpp"
#include "parsing/parse.hpp"
#include "support/random.hpp"

namespace arbora {

inline constexpr int bits = 10;

// Templates with every atom on some side, neighbours, relatives, words between, and all companies.
inline Templates all_templates() {
    Templates result;
    std::uint64_t seed = 1;
    for (int a = 0; a < atom_count; ++a) {
        const Reference own{0, static_cast<Atom>(a)}, before{-1, static_cast<Atom>(a)}, far{9, static_cast<Atom>(a)};
        const bool alone = a % 2, direction = a % 3 == 0 || !alone, distance = a % 4 == 0;
        for (Section section : {Section::pruner, Section::arcs, Section::labels, Section::labeler, Section::roles,
                                Section::tags, Section::tag_links, Section::tag_bigrams, Section::tag_trigrams}) {
            result.add(section, {++seed, {own}, {}, {}, {}, {}, {}, alone, direction, distance});
            result.add(section, {++seed, {}, {before}, {}, {}, {}, {}, alone, direction, distance});
            result.add(
                section,
                {++seed, {before}, {far}, {}, {}, {}, {static_cast<ArcAtom>(a % 5)}, alone, direction, distance});
        }
        for (Section section : {Section::pruner, Section::arcs})
            result.add(section, {++seed, {{0, atoms::upos}}, {}, {own}, {}, {}, {}, true, true, false});
        result.add(Section::labeler,
                   {++seed, {{parent, own.atom}}, {{first_child, own.atom}}, {}, {}, {}, {}, true, true, false});
        result.add(Section::labeler, {++seed, {}, {{last_child, own.atom}}, {}, {}, {}, {}, false, true, true});
        result.add(Section::siblings, {++seed, {own}, {}, {}, {}, {}, {}, true, false, false});
        if (own.atom == atoms::feat) continue;  // parts take no sets
        for (int s = static_cast<int>(first_part_section); s < section_count; ++s) {
            const auto section = static_cast<Section>(s);
            const bool has_fourth = section == Section::grand_siblings && a % 2;
            result.add(section, {++seed, {own}, {before}, {}, {far}, {}, {}, alone, direction, distance});
            result.add(section, {++seed,
                                 {},
                                 {},
                                 {},
                                 {own},
                                 has_fourth ? std::vector{before} : std::vector<Reference>{},
                                 {},
                                 true,
                                 !alone,
                                 true});
        }
    }
    return result;
}

inline Templates without(const Templates& all, std::vector<Section> left_out) {
    Templates result;
    for (int s = 0; s < section_count; ++s) {
        const auto section = static_cast<Section>(s);
        if (std::find(left_out.begin(), left_out.end(), section) != left_out.end()) continue;
        for (const Template& t : all.of(section)) {
            const auto side = [&](int at) { return at < 0 ? std::vector<Reference>{} : all.sides()[at].references; };
            const auto arc = t.arc < 0 ? std::vector<ArcAtom>{} : all.arcs()[t.arc];
            result.add(section, {t.seed, side(t.head), side(t.modifier), side(t.between), side(t.third), side(t.fourth),
                                 arc, t.alone, t.direction, t.distance});
        }
    }
    return result;
}

// Sentences of 0, 1, 2, ... words; columns are missing in some words, or altogether.
inline Encoded draw_sentences(int count, Random& random) {
    const std::string forms[]{"The", "dog", "(", ")", "\"", "\u00e4\u00f6", "_", "a-very-long-word-indeed", ""};
    const std::string tags[]{"NOUN", "VERB", "PUNCT", "ADP", "CCONJ", "_", "XY"};
    const std::string feats[]{"_", "A=1", "A=1|B=2|C=3", "|", "B=2"};
    const auto any = [&](const auto& from) -> const std::string& {
        return from[static_cast<std::size_t>(random.uniform() * std::size(from))];
    };
    Encoded encoded;
    for (int n = 0; n < count; ++n) {
        encoded.begin_sentence();
        const int missing = static_cast<int>(random.uniform() * 8);  // 5 and more: none
        for (int i = 0; i < n; ++i) {
            std::string columns[]{any(forms), any(forms), any(tags), any(tags), any(feats)};
            if (missing < 5) columns[missing] = "_";
            encoded.add_word({columns[0], columns[1], columns[2], columns[3], columns[4]});
            const int tags = static_cast<int>(random.uniform() * 3);  // 0: any
            for (int t = 0; t < tags; ++t) encoded.add_tag({1 - t, -0.5 * t});
        }
        encoded.end_sentence();
    }
    return encoded;
}

// Multiples of 1/256, whose sums are exact, and which need no rounding.
inline std::vector<float> draw_weights(std::size_t padding, Random& random) {
    std::vector<float> weights((std::size_t{1} << bits) + padding);
    for (float& weight : weights) weight = static_cast<float>(std::floor(random.uniform() * 64) - 32) / 256;
    return weights;
}

struct Rounded {
    std::vector<std::int16_t> values;
    float step;

    explicit Rounded(const std::vector<float>& weights) : values(weights.size()) {
        step = round_weights(weights.data(), weights.size(), values.data());
        for (std::size_t i = 0; i < weights.size(); ++i) CHECK(weights[i] == step * values[i]);
    }
    ShortWeights table() const { return {values.data(), (1u << bits) - 1, step}; }
};

inline bool is_tree(const std::vector<int>& heads, bool single_root) {
    const int n = static_cast<int>(heads.size()) - 1;
    int roots = 0;
    for (int m = 1; m <= n; ++m) {
        roots += heads[m] == 0;
        int at = m;
        for (int step = 0; step <= n && at; ++step) at = heads[at];
        if (at) return false;
    }
    return !single_root || n == 0 || roots == 1;
}

struct Model : LinearModel {
    std::vector<float> weights;
    Rounded rounded, pruner_weights;

    Model(Templates all, int labels, Random& random, int roles = 0, int tags = 0)
        : LinearModel(std::move(all), 0.05, 3, std::vector<char>(labels, 1), std::vector<char>(labels, 1), {0.5, 0.5},
                      roles, tags),
          weights(draw_weights(padding(), random)),
          rounded(weights),
          pruner_weights(draw_weights(0, random)) {}

    // Whether tags are a chain, and so observed when it learns.
    bool observes_tags() const {
        return higher.tags().tags() &&
               (higher.tags().labels(Section::tag_bigrams) || higher.tags().labels(Section::tag_trigrams));
    }
    Weights table() const { return {weights.data(), (1u << bits) - 1}; }
    LinearParser parser() const { return {*this, rounded.table(), pruner_weights.table()}; }
};

inline std::vector<Model> all_models(int labels, Random& random) {
    const Templates all = all_templates();
    std::vector<Model> models;
    std::vector<Section> parts;
    for (int s = static_cast<int>(first_part_section); s < section_count; ++s) parts.push_back(static_cast<Section>(s));
    const Templates first_order = without(all, parts);
    models.emplace_back(without(first_order, {Section::labeler, Section::siblings}), labels, random);
    models.emplace_back(without(first_order, {Section::pruner, Section::labels}), labels, random);
    models.emplace_back(first_order, labels, random);
    models.emplace_back(without(all, {Section::labeler, Section::siblings, Section::grand_siblings}), labels, random);
    models.emplace_back(all, labels, random);
    models.emplace_back(without(first_order, {Section::labels}), labels, random, 12);
    models.emplace_back(without(all, {Section::labels, Section::siblings}), labels, random, 2);
    const Templates no_chain = without(all, {Section::tag_bigrams, Section::tag_trigrams});  // hidden tags have none
    std::vector<Section> left_out = parts;
    left_out.push_back(Section::labels);
    models.emplace_back(without(no_chain, left_out), labels, random, 2, 3);
    models.emplace_back(without(no_chain, {Section::labeler, Section::siblings, Section::grand_siblings}), labels,
                        random, 0, 2);
    models.emplace_back(first_order, labels, random, 0, 2);
    models.emplace_back(without(all, {Section::tag_bigrams, Section::grand_siblings}), labels, random, 0, 3);
    return models;
}

}  // namespace arbora
