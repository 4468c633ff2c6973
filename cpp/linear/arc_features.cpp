#include "linear/arc_features.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "linear/pair_hashes.hpp"
#include "linear/variant_sums.hpp"
#include "linear/word_sums.hpp"
#include "support/interruption.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

// ---- two words, all arcs: a row of modifiers for each head ----

template <class Number>
struct Row {
    const Number* weights;
    std::uint32_t mask, start;              // seed and head
    const std::uint32_t *modifiers, *arcs;  // hashes per modifier; arcs may be null
    const float* valid;                     // null if all are
    const std::uint32_t *directions, *distances;
    float* scores;
    int width;
};

template <class Number, bool alone, bool direction, bool distance, bool masked, bool arc>
void add_row(const Row<Number>& row) {
    const Number* __restrict w = row.weights;
    float* __restrict scores = row.scores;
    const std::uint32_t mask = row.mask, start = row.start;
    for (int m = 1; m < row.width; ++m) {
        std::uint32_t index = start + row.modifiers[m];
        if constexpr (arc) index += row.arcs[m];
        index &= mask;
        SumOf<Number> sum = 0;
        if constexpr (alone) sum += w[index];
        if constexpr (direction) sum += w[index ^ row.directions[m]];
        if constexpr (distance) sum += w[index ^ row.distances[m]];
        scores[m] += masked ? sum * row.valid[m] : static_cast<float>(sum);
    }
}

template <class Number>
using RowFunction = void (*)(const Row<Number>&);

template <class Number, std::size_t... bits>
constexpr std::array<RowFunction<Number>, sizeof...(bits)> all_row_functions(std::index_sequence<bits...>) {
    return {add_row<Number, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0>...};
}

template <class Number>
RowFunction<Number> row_function_for(const Stream& t) {
    static constexpr auto functions = all_row_functions<Number>(std::make_index_sequence<32>());
    return functions[(t.alone ? 1 : 0) | (t.direction ? 2 : 0) | (t.distance ? 4 : 0) | (t.valid_heads ? 8 : 0) |
                     (t.arcs ? 16 : 0)];
}

// ---- two words, one arc ----

// The weights of an arc's features.
template <class Number>
float sum_of(const std::vector<PairHashes::Segment>& features, WeightTable<Number> weights, std::uint32_t direction,
             std::uint32_t distance) {
    SumOf<Number> sum = 0;
    for (const PairHashes::Segment& each : features)
        sum += sum_of_variants(each.variants, each.begin, each.end, weights, direction, distance);
    return static_cast<float>(sum);
}

// ---- a word between ----

// body(index, word) for every word between and every value of its side.
template <class Body>
void for_between(const Template& t, const Prepared& sentence, std::uint32_t mask, int head, int modifier, Body body) {
    if (!sentence.slots(t.head) || !sentence.slots(t.modifier)) return;
    if (sentence.valid(t.head, 0)[head] == 0 || sentence.valid(t.modifier, 0)[modifier] == 0) return;
    const std::uint32_t start = t.seed + sentence.values(t.head, 0)[head] + sentence.values(t.modifier, 0)[modifier];
    for (int slot = 0; slot < sentence.slots(t.between); ++slot) {
        const std::uint32_t* values = sentence.values(t.between, slot);
        const float* valid = sentence.valid(t.between, slot);
        for (int k = std::min(head, modifier) + 1; k < std::max(head, modifier); ++k)
            if (valid[k] != 0) body((start + values[k]) & mask);
    }
}

std::uint32_t between_direction(int head, int modifier) { return modifier < head ? left_code : right_code; }

// Numbers the different values of a side's words from `first` on; missing ones get -1.
struct Classes {
    std::vector<int> of;
    std::vector<std::uint32_t> values;

    Classes(const Prepared& sentence, int side, int first) : of(sentence.width(), -1) {
        const std::uint32_t* hashes = sentence.values(side, 0);
        const float* valid = sentence.valid(side, 0);
        for (int i = first; i < sentence.width(); ++i) {
            if (valid[i] == 0) continue;
            const auto found = std::find(values.begin(), values.end(), hashes[i]);
            of[i] = static_cast<int>(found - values.begin());
            if (found == values.end()) values.push_back(hashes[i]);
        }
    }
};

// Prefix sums for each pair of different head and modifier values.
template <class Number>
void score_between(const Template& t, const Prepared& sentence, WeightTable<Number> weights, float* scores) {
    if (!sentence.slots(t.head) || !sentence.slots(t.modifier)) return;
    const Classes heads(sentence, t.head, 0), modifiers(sentence, t.modifier, 1);
    const int width = sentence.width();
    std::vector<double> left(width), right(width);  // sums over the words before a word
    for (std::size_t hc = 0; hc < heads.values.size(); ++hc) {
        Interruption::heed();
        for (std::size_t mc = 0; mc < modifiers.values.size(); ++mc) {
            const std::uint32_t start = t.seed + heads.values[hc] + modifiers.values[mc];
            double left_sum = 0, right_sum = 0;
            for (int k = 1; k < width; ++k) {
                left[k - 1] = left_sum;
                right[k - 1] = right_sum;
                for (int slot = 0; slot < sentence.slots(t.between); ++slot) {
                    if (sentence.valid(t.between, slot)[k] == 0) continue;
                    const std::uint32_t index = (start + sentence.values(t.between, slot)[k]) & weights.mask;
                    const double alone = t.alone ? weights.data[index] : 0;
                    left_sum += alone + (t.direction ? weights.data[index ^ left_code] : 0);
                    right_sum += alone + (t.direction ? weights.data[index ^ right_code] : 0);
                }
            }
            for (int h = 0; h < width; ++h) {
                if (heads.of[h] != static_cast<int>(hc)) continue;
                float* row = scores + static_cast<std::size_t>(h) * width;
                for (int m = 1; m < width; ++m)
                    if (modifiers.of[m] == static_cast<int>(mc) && m != h)
                        row[m] += static_cast<float>(m > h ? right[m - 1] - right[h] : left[h - 1] - left[m]);
            }
        }
    }
}

}  // namespace

ArcFeatures::ArcFeatures(const std::vector<Template>& templates) {
    for (const Template& t : templates) {
        if (t.between >= 0)
            between_.push_back(t);
        else if (t.arc < 0 && t.modifier < 0)
            head_only_.push_back(t);
        else if (t.arc < 0 && t.head < 0)
            modifier_only_.push_back(t);
        else
            pairs_.push_back(t);
    }
}

template <class Number>
void ArcFeatures::score(const Prepared& sentence, WeightTable<Number> weights, float* scores) const {
    const int width = sentence.width();
    thread_local WordSums of_head, of_modifier;
    thread_local std::vector<Stream> streams;
    of_head.set(head_only_, sentence, Role::head, weights);
    of_modifier.set(modifier_only_, sentence, Role::modifier, weights);
    set_streams(pairs_, sentence, streams);
    for (int h = 0; h < width; ++h) {
        float* row = scores + static_cast<std::size_t>(h) * width;
        const std::uint32_t *directions = sentence.direction_row(h), *distances = sentence.distance_row(h);
        Interruption::heed();
        row[0] = 0;
        for (int m = 1; m < width; ++m) row[m] = of_head.at(h, distances[m]) + of_modifier.at(m, distances[m]);
        for (const Stream& t : streams)
            if (!t.valid_heads || t.valid_heads[h] != 0)
                row_function_for<Number>(t)({weights.data, weights.mask, t.seed + t.heads[h], t.modifiers,
                                             t.arcs ? t.arcs + static_cast<std::size_t>(h) * width : nullptr,
                                             t.valid_modifiers, directions, distances, row, width});
    }
    for (const Template& t : between_) score_between(t, sentence, weights, scores);
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(width) * width; ++cell) scores[cell] *= weights.step;
}

template <class Number>
void ArcFeatures::score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                        float* scores) const {
    thread_local WordSums of_head, of_modifier;
    thread_local PairHashes hashes;
    of_head.set(head_only_, sentence, Role::head, weights);
    of_modifier.set(modifier_only_, sentence, Role::modifier, weights);
    hashes.set(pairs_, sentence);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const auto [h, m] = arcs[i];
        const std::uint32_t direction = sentence.direction_row(h)[m], distance = sentence.distance_row(h)[m];
        scores[i] = of_head.at(h, distance) + of_modifier.at(m, distance) +
                    sum_of(hashes.find(sentence, h, m), weights, direction, distance);
    }
    for (const Template& t : between_)
        for (std::size_t i = 0; i < arcs.size(); ++i) {
            const auto [h, m] = arcs[i];
            const std::uint32_t direction = between_direction(h, m);
            double sum = 0;
            for_between(t, sentence, weights.mask, h, m, [&](std::uint32_t index) {
                sum += (t.alone ? weights.data[index] : 0) + (t.direction ? weights.data[index ^ direction] : 0);
            });
            scores[i] += static_cast<float>(sum);
        }
    for (std::size_t i = 0; i < arcs.size(); ++i) scores[i] *= weights.step;
}

template void ArcFeatures::score(const Prepared&, Weights, float*) const;
template void ArcFeatures::score(const Prepared&, ShortWeights, float*) const;
template void ArcFeatures::score(const Prepared&, Weights, const std::vector<Arc>&, float*) const;
template void ArcFeatures::score(const Prepared&, ShortWeights, const std::vector<Arc>&, float*) const;

void ArcFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<ArcGradient>& arcs,
                               SparseSum& sum) const {
    thread_local WordGradients of_head, of_modifier;
    thread_local std::vector<Stream> streams;
    of_head.clear(sentence.width());
    of_modifier.clear(sentence.width());
    for (const ArcGradient& arc : arcs) {
        const std::uint32_t code = distance_code(arc.head, arc.modifier);
        of_head.add(arc.head, code, arc.value);
        of_modifier.add(arc.modifier, code, arc.value);
    }
    of_head.spread(head_only_, sentence, Role::head, mask, sum);
    of_modifier.spread(modifier_only_, sentence, Role::modifier, mask, sum);
    set_streams(pairs_, sentence, streams);
    for (const Stream& t : streams)
        for (const auto& [h, m, value] : arcs) {
            if (!t.is_valid(h, m)) continue;
            const std::uint32_t of_arc = t.arcs ? t.arcs[static_cast<std::size_t>(h) * sentence.width() + m] : 0;
            const std::uint32_t index = (t.seed + t.heads[h] + t.modifiers[m] + of_arc) & mask;
            if (t.alone) sum.add(index, value);
            if (t.direction) sum.add(index ^ direction_code(h, m), value);
            if (t.distance) sum.add(index ^ distance_code(h, m), value);
        }
    for (const Template& t : between_)
        for (const ArcGradient& arc : arcs)
            for_between(t, sentence, mask, arc.head, arc.modifier, [&](std::uint32_t index) {
                if (t.alone) sum.add(index, arc.value);
                if (t.direction) sum.add(index ^ between_direction(arc.head, arc.modifier), arc.value);
            });
}

}  // namespace arbora
