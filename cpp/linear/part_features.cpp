#include "linear/part_features.hpp"

#include <algorithm>

#include "linear/variant_sums.hpp"
#include "support/interruption.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

constexpr std::uint32_t missing = 0x8f1bbcdc;

// Of a side of a template, for every word, into a column of rows.
void fill_column(const Prepared& sentence, int side, std::uint32_t seed, std::size_t column, std::size_t columns,
                 std::vector<std::uint32_t>& rows) {
    const std::uint32_t* values = sentence.values(side, 0);
    const float* valid = sentence.valid(side, 0);
    for (int i = 0; i < sentence.width(); ++i)
        rows[i * columns + column] = seed + (valid[i] != 0 ? values[i] : missing);
}

ARBORA_VECTORISED void add_three(const std::uint32_t* __restrict a, const std::uint32_t* __restrict b,
                                 const std::uint32_t* __restrict c, std::size_t count, std::uint32_t mask,
                                 std::uint32_t* __restrict sums) {
    for (std::size_t i = 0; i < count; ++i) sums[i] = (a[i] + b[i] + c[i]) & mask;
}

ARBORA_VECTORISED void add_four(const std::uint32_t* __restrict a, const std::uint32_t* __restrict b,
                                const std::uint32_t* __restrict c, const std::uint32_t* __restrict d, std::size_t count,
                                std::uint32_t mask, std::uint32_t* __restrict sums) {
    for (std::size_t i = 0; i < count; ++i) sums[i] = (a[i] + b[i] + c[i] + d[i]) & mask;
}

}  // namespace

PartFeatures::PartFeatures(std::vector<Template> templates) : templates_(std::move(templates)) {
    std::stable_sort(templates_.begin(), templates_.end(),
                     [](const Template& a, const Template& b) { return variants_of(a) < variants_of(b); });
}

void PartFeatures::lay_out(const Prepared& sentence, Rows& rows) const {
    thread_local std::vector<const Template*> used;
    used.clear();
    rows.segments.clear();
    rows.has_fourth = false;
    for (const Template& t : templates_) {
        const int sides[] = {t.head, t.modifier, t.third, t.fourth};
        if (std::any_of(std::begin(sides), std::end(sides), [&](int side) { return sentence.slots(side) == 0; }))
            continue;
        if (rows.segments.empty() || rows.segments.back().variants != variants_of(t))
            rows.segments.push_back({variants_of(t), used.size(), used.size()});
        used.push_back(&t);
        rows.segments.back().end = used.size();
        rows.has_fourth |= t.fourth >= 0;
    }
    rows.columns = used.size();
    for (auto* row : {&rows.heads, &rows.modifiers, &rows.thirds, &rows.fourths})
        row->resize(rows.columns * static_cast<std::size_t>(sentence.width()));
    for (std::size_t c = 0; c < used.size(); ++c) {
        fill_column(sentence, used[c]->head, used[c]->seed, c, rows.columns, rows.heads);
        fill_column(sentence, used[c]->modifier, 0, c, rows.columns, rows.modifiers);
        fill_column(sentence, used[c]->third, 0, c, rows.columns, rows.thirds);
        if (rows.has_fourth) fill_column(sentence, used[c]->fourth, 0, c, rows.columns, rows.fourths);
    }
}

void PartFeatures::Rows::find(const Part& part, std::uint32_t mask, std::uint32_t* result) const {
    const std::uint32_t *of_head = heads.data() + part.head * columns,
                        *of_modifier = modifiers.data() + part.modifier * columns,
                        *of_third = thirds.data() + part.third * columns;
    if (has_fourth)
        add_four(of_head, of_modifier, of_third, fourths.data() + part.fourth * columns, columns, mask, result);
    else
        add_three(of_head, of_modifier, of_third, columns, mask, result);
}

template <class Number>
void PartFeatures::score(const Prepared& sentence, WeightTable<Number> weights, std::span<const Part> parts,
                         double* scores) const {
    // Weights are fetched some parts ahead: nearly all of them are far away.
    constexpr std::size_t ahead = 4;
    thread_local Rows rows;
    thread_local std::vector<std::uint32_t> hashes;
    lay_out(sentence, rows);
    const std::size_t columns = rows.columns;
    hashes.resize(columns * ahead);
    const auto fetch = [&](std::size_t i) {
        std::uint32_t* own = hashes.data() + i % ahead * columns;
        rows.find(parts[i], weights.mask, own);
        for (std::size_t c = 0; c < columns; ++c) __builtin_prefetch(weights.data + own[c]);
    };
    for (std::size_t i = 0; i < std::min(ahead, parts.size()); ++i) fetch(i);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Interruption::heed();
        const std::uint32_t* own = hashes.data() + i % ahead * columns;
        SumOf<Number> sum = 0;
        for (const Segment& segment : rows.segments)
            sum += sum_of_variants(segment.variants, own + segment.begin, own + segment.end, weights,
                                   parts[i].direction, parts[i].distance);
        scores[i] = static_cast<double>(static_cast<float>(sum)) * weights.step;
        if (i + ahead < parts.size()) fetch(i + ahead);
    }
}

template void PartFeatures::score(const Prepared&, Weights, std::span<const Part>, double*) const;
template void PartFeatures::score(const Prepared&, ShortWeights, std::span<const Part>, double*) const;

void PartFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, std::span<const Part> parts,
                                const float* values, SparseSum& sum) const {
    thread_local Rows rows;
    lay_out(sentence, rows);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Interruption::heed();
        if (values[i] == 0) continue;
        const Part& part = parts[i];
        for (const Segment& segment : rows.segments)
            for (std::size_t c = segment.begin; c < segment.end; ++c) {
                std::uint32_t hash = rows.heads[part.head * rows.columns + c] +
                                     rows.modifiers[part.modifier * rows.columns + c] +
                                     rows.thirds[part.third * rows.columns + c];
                if (rows.has_fourth) hash += rows.fourths[part.fourth * rows.columns + c];
                const std::uint32_t index = hash & mask;
                if (segment.variants & with_alone) sum.add(index, values[i]);
                if (segment.variants & with_direction) sum.add(index ^ part.direction, values[i]);
                if (segment.variants & with_distance) sum.add(index ^ part.distance, values[i]);
            }
    }
}

}  // namespace arbora
