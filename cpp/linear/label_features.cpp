#include "linear/label_features.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "linear/hashing.hpp"
#include "linear/pair_hashes.hpp"
#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

// A feature with direction or distance begins apart from the feature alone.
constexpr std::uint32_t variant_spread = 0x9e3779b1u;

// Blocks begin at multiples of 32, which are whole cache lines if weights are short.
constexpr std::uint32_t block_alignment = 32;

// Adds the blocks that begin at weights + starts[i] to sums[0 .. 8 * vectors).
template <int vectors>
ARBORA_INLINE void add_blocks(const float* weights, const std::uint32_t* starts, std::size_t count, float* sums) {
    Lanes8 total[vectors];
    std::memcpy(total, sums, sizeof total);
    for (std::size_t i = 0; i < count; ++i)
        for (int v = 0; v < vectors; ++v) total[v] += load_eight(weights + starts[i] + 8 * v);
    std::memcpy(sums, total, sizeof total);
}

template <class Pairs>
struct PairSums {
    Pairs firsts{}, seconds{};

    ARBORA_INLINE void add(const std::int16_t* shorts) {
        Pairs pairs;
        std::memcpy(&pairs, shorts, sizeof pairs);
        firsts += first_shorts(pairs);
        seconds += second_shorts(pairs);
    }
    ARBORA_INLINE void add_to(float* sums) const {
        std::int32_t first[sizeof(Pairs) / 4], second[sizeof(Pairs) / 4];
        std::memcpy(first, &firsts, sizeof firsts);
        std::memcpy(second, &seconds, sizeof seconds);
        for (std::size_t i = 0; i < sizeof(Pairs) / 4; ++i) {
            sums[2 * i] += static_cast<float>(first[i]);
            sums[2 * i + 1] += static_cast<float>(second[i]);
        }
    }
};

template <int vectors>
ARBORA_INLINE void add_blocks(const std::int16_t* weights, const std::uint32_t* starts, std::size_t count,
                              float* sums) {
    using Ints4 = std::int32_t __attribute__((vector_size(16)));
    constexpr std::size_t without_overflow = 1 << 16;
    while (count > 0) {
        const std::size_t now = std::min(count, without_overflow);
        PairSums<Ints8> total[vectors / 2 + 1];
        PairSums<Ints4> last;
        for (std::size_t i = 0; i < now; ++i) {
            const std::int16_t* block = weights + starts[i];
            for (int v = 0; v < vectors / 2; ++v) total[v].add(block + 16 * v);
            if constexpr (vectors % 2 == 1) last.add(block + 8 * (vectors - 1));
        }
        for (int v = 0; v < vectors / 2; ++v) total[v].add_to(sums + 16 * v);
        if constexpr (vectors % 2 == 1) last.add_to(sums + 8 * (vectors - 1));
        starts += now;
        count -= now;
    }
}

template <class Number>
ARBORA_VECTORISED void add_all_blocks(const Number* weights, const std::uint32_t* starts, std::size_t count, int width,
                                      float* sums) {
    int at = 0;
    for (; at + 64 <= width; at += 64) add_blocks<8>(weights + at, starts, count, sums + at);
    switch ((width - at) / 8) {
        case 1: return add_blocks<1>(weights + at, starts, count, sums + at);
        case 2: return add_blocks<2>(weights + at, starts, count, sums + at);
        case 3: return add_blocks<3>(weights + at, starts, count, sums + at);
        case 4: return add_blocks<4>(weights + at, starts, count, sums + at);
        case 5: return add_blocks<5>(weights + at, starts, count, sums + at);
        case 6: return add_blocks<6>(weights + at, starts, count, sums + at);
        case 7: return add_blocks<7>(weights + at, starts, count, sums + at);
        default: return;
    }
}

ARBORA_VECTORISED std::uint32_t* add_starts(const PairHashes::Segment& hashes, std::uint32_t shift, std::uint32_t mask,
                                            std::uint32_t* __restrict starts) {
    const std::ptrdiff_t count = hashes.end - hashes.begin;
    for (std::ptrdiff_t i = 0; i < count; ++i) starts[i] = (hashes.begin[i] + shift) & mask;
    return starts + count;
}

// Which of several arcs are the first with their modifier and direction, and for every arc which of those it is like.
// Arcs of one modifier must stand together.
void find_first_likes(const std::vector<Arc>& arcs, std::vector<Arc>& firsts, std::vector<std::size_t>& like) {
    firsts.clear();
    like.clear();
    for (const Arc& arc : arcs) {
        std::size_t at = firsts.size();
        while (at > 0 && firsts[at - 1].modifier == arc.modifier &&
               direction_code(firsts[at - 1].head, arc.modifier) != direction_code(arc.head, arc.modifier))
            --at;
        if (at == 0 || firsts[at - 1].modifier != arc.modifier) {
            firsts.push_back(arc);
            at = firsts.size();
        }
        like.push_back(at - 1);
    }
}

struct Scratch {
    std::vector<Arc> firsts;
    std::vector<std::size_t> like;
    std::vector<float> sums;
    PairHashes hashes;
    std::vector<std::uint32_t> starts;

    // Where the blocks of an arc's features begin, by the templates that `hashes` were set for.
    std::span<const std::uint32_t> blocks_of(const Prepared& sentence, Arc arc, std::uint32_t mask) {
        const std::uint32_t direction = sentence.direction_row(arc.head)[arc.modifier] * variant_spread;
        const std::uint32_t distance = sentence.distance_row(arc.head)[arc.modifier] * variant_spread;
        const std::uint32_t aligned = mask & ~(block_alignment - 1);
        if (starts.size() < 3 * hashes.most()) starts.resize(3 * hashes.most());
        std::uint32_t* end = starts.data();
        for (const PairHashes::Segment& each : hashes.find(sentence, arc.head, arc.modifier)) {
            if (each.variants & with_alone) end = add_starts(each, 0, aligned, end);
            if (each.variants & with_direction) end = add_starts(each, direction, aligned, end);
            if (each.variants & with_distance) end = add_starts(each, distance, aligned, end);
        }
        return {starts.data(), end};
    }
};

}  // namespace

LabelFeatures::LabelFeatures(const std::vector<Template>& arcs, const std::vector<Template>& siblings, int labels)
    : siblings_(siblings), labels_(labels) {
    for (const Template& t : arcs) (t.head < 0 && t.arc < 0 && !t.distance ? shared_ : others_).push_back(t);
}

template <class Number>
void LabelFeatures::score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                          float* scores) const {
    thread_local Scratch scratch;
    const std::size_t width = stride();
    find_first_likes(arcs, scratch.firsts, scratch.like);
    scratch.sums.assign(scratch.firsts.size() * width, 0);
    scratch.hashes.set(shared_, sentence);
    for (std::size_t i = 0; i < scratch.firsts.size(); ++i) {
        const auto blocks = scratch.blocks_of(sentence, scratch.firsts[i], weights.mask);
        add_all_blocks(weights.data, blocks.data(), blocks.size(), stride(), scratch.sums.data() + i * width);
    }
    scratch.hashes.set(others_, sentence);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const auto blocks = scratch.blocks_of(sentence, arcs[i], weights.mask);
        std::copy_n(scratch.sums.data() + scratch.like[i] * width, width, scores + i * width);
        add_all_blocks(weights.data, blocks.data(), blocks.size(), stride(), scores + i * width);
    }
    for (std::size_t i = 0; i < arcs.size() * width; ++i) scores[i] *= weights.step;
}

template void LabelFeatures::score(const Prepared&, Weights, const std::vector<Arc>&, float*) const;
template void LabelFeatures::score(const Prepared&, ShortWeights, const std::vector<Arc>&, float*) const;

void LabelFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                                 const float* gradient, SparseSum& sum) const {
    thread_local Scratch scratch;
    std::vector<std::uint32_t> active;
    for (const std::vector<Template>* templates : {&shared_, &others_}) {
        scratch.hashes.set(*templates, sentence);
        for (std::size_t i = 0; i < arcs.size(); ++i) {
            const float* row = gradient + i * labels_;
            active.clear();
            for (int l = 0; l < labels_; ++l)
                if (row[l] != 0) active.push_back(static_cast<std::uint32_t>(l));
            for (std::uint32_t start : scratch.blocks_of(sentence, arcs[i], mask))
                for (std::uint32_t l : active) sum.add(start + l, row[l]);
        }
    }
}

template <class Body>
void LabelFeatures::for_blocks(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                               const SomeLabels& some, Body body) const {
    thread_local Scratch scratch;
    for (const std::vector<Template>* templates : {&shared_, &others_}) {
        scratch.hashes.set(*templates, sentence);
        for (std::size_t i = 0; i < arcs.size(); ++i)
            if (some.begins[i] < some.begins[i + 1])
                for (std::uint32_t start : scratch.blocks_of(sentence, arcs[i], mask)) body(i, start);
    }
}

template <class Number>
void LabelFeatures::score_some(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                               const SomeLabels& some, std::vector<double>& scores) const {
    scores.assign(some.labels.size(), 0.0);
    for_blocks(sentence, weights.mask, arcs, some, [&](std::size_t arc, std::uint32_t start) {
        for (std::size_t i = some.begins[arc]; i < some.begins[arc + 1]; ++i)
            scores[i] += weights.data[start + some.labels[i]];
    });
    for (double& score : scores) score *= weights.step;
}

template void LabelFeatures::score_some(const Prepared&, Weights, const std::vector<Arc>&, const SomeLabels&,
                                        std::vector<double>&) const;
template void LabelFeatures::score_some(const Prepared&, ShortWeights, const std::vector<Arc>&, const SomeLabels&,
                                        std::vector<double>&) const;

void LabelFeatures::add_gradient_of_some(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                                         const SomeLabels& some, const std::vector<float>& gradient,
                                         SparseSum& sum) const {
    for_blocks(sentence, mask, arcs, some, [&](std::size_t arc, std::uint32_t start) {
        for (std::size_t i = some.begins[arc]; i < some.begins[arc + 1]; ++i)
            if (gradient[i] != 0) sum.add(start + some.labels[i], gradient[i]);
    });
}

template <class Body>
void LabelFeatures::for_sibling_features(const Prepared& sentence, int head, Body body) const {
    for (const Template& t : siblings_)
        for (int slot = 0; slot < sentence.slots(t.head); ++slot)
            if (sentence.valid(t.head, slot)[head] != 0) body(t.seed + sentence.values(t.head, slot)[head]);
}

template <class Body>
void LabelFeatures::for_sibling_blocks(const Prepared& sentence, std::uint32_t mask, int head, int previous,
                                       Body body) const {
    const std::uint32_t shift = static_cast<std::uint32_t>(previous + 1) * variant_spread;
    for_sibling_features(sentence, head, [&](std::uint32_t hash) { body((hash + shift) & mask); });
}

void LabelFeatures::sibling_key(const Prepared& sentence, int head, std::vector<std::uint32_t>& key) const {
    key.clear();
    for_sibling_features(sentence, head, [&](std::uint32_t hash) { key.push_back(hash); });
}

template <class Number>
void LabelFeatures::score_siblings(const Prepared& sentence, WeightTable<Number> weights, int head,
                                   float* scores) const {
    thread_local std::vector<std::uint32_t> starts;
    thread_local std::vector<float> sums;
    for (int previous = 0; previous < states(); ++previous) {
        starts.clear();
        sums.assign(stride(), 0);
        for_sibling_blocks(sentence, weights.mask, head, previous, [&](std::uint32_t at) { starts.push_back(at); });
        add_all_blocks(weights.data, starts.data(), starts.size(), stride(), sums.data());
        float* row = scores + static_cast<std::size_t>(previous) * states();
        for (int l = 0; l < states(); ++l) row[l] = sums[l] * weights.step;
    }
}

template void LabelFeatures::score_siblings(const Prepared&, Weights, int, float*) const;
template void LabelFeatures::score_siblings(const Prepared&, ShortWeights, int, float*) const;

void LabelFeatures::add_sibling_gradient(const Prepared& sentence, std::uint32_t mask, int head, const float* gradient,
                                         SparseSum& sum) const {
    for (int previous = 0; previous < states(); ++previous) {
        const float* row = gradient + static_cast<std::size_t>(previous) * states();
        if (std::all_of(row, row + states(), [](float value) { return value == 0; })) continue;
        for_sibling_blocks(sentence, mask, head, previous, [&](std::uint32_t at) {
            for (int l = 0; l < states(); ++l)
                if (row[l] != 0) sum.add(at + l, row[l]);
        });
    }
}

}  // namespace arbora
