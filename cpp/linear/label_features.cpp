#include "linear/label_features.hpp"

#include <algorithm>

#include "linear/hashing.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

// Gradients below this are left out: a weight would not feel them.
constexpr float negligible = 1e-5f;

int slots_of(const Prepared& sentence, int side) { return side < 0 ? 1 : sentence.side(side).slots; }
bool is_valid(const Prepared& sentence, int side, int slot, int i) {
    return side < 0 || sentence.valid(side, slot)[i] != 0;
}
std::uint32_t hash_at(const Prepared& sentence, int side, int slot, int i) {
    return side < 0 ? 0 : sentence.values(side, slot)[i];
}

std::uint32_t spread(std::uint32_t code) { return code * 0x9e3779b1u; }

ARBORA_VECTORISED void add_block(const float* __restrict block, int count, float* __restrict scores) {
    for (int l = 0; l < count; ++l) scores[l] += block[l];
}

}  // namespace

LabelFeatures::LabelFeatures(const Templates& arcs, const Templates& siblings, int labels)
    : arcs_(arcs.all()), siblings_(siblings.all()), labels_(labels) {}

template <class Body>
void LabelFeatures::for_blocks(const Prepared& sentence, std::uint32_t mask, int head, int modifier, Body body) const {
    const std::uint32_t direction = spread(direction_code(head, modifier));
    const std::uint32_t distance = spread(distance_code(head, modifier));
    for (const Template& t : arcs_)
        for (int hs = 0; hs < slots_of(sentence, t.head); ++hs) {
            if (!is_valid(sentence, t.head, hs, head)) continue;
            for (int ms = 0; ms < slots_of(sentence, t.modifier); ++ms) {
                if (!is_valid(sentence, t.modifier, ms, modifier)) continue;
                const std::uint32_t index = t.seed + hash_at(sentence, t.head, hs, head) +
                                            hash_at(sentence, t.modifier, ms, modifier) +
                                            (t.arc < 0 ? 0 : sentence.arc_row(t.arc, head)[modifier]);
                if (t.alone) body(index & mask);
                if (t.direction) body((index + direction) & mask);
                if (t.distance) body((index + distance) & mask);
            }
        }
}

void LabelFeatures::score(const Prepared& sentence, Weights weights, int head, int modifier, float* scores) const {
    std::fill(scores, scores + labels_, 0.0f);
    thread_local std::vector<std::uint32_t> blocks;
    blocks.clear();
    // First where, then what: the fetches run ahead of the sums.
    for_blocks(sentence, weights.mask, head, modifier, [&](std::uint32_t at) {
        blocks.push_back(at);
        for (int l = 0; l < labels_; l += 16) __builtin_prefetch(weights.data + at + l);
    });
    for (std::uint32_t at : blocks) add_block(weights.data + at, labels_, scores);
}

void LabelFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, int head, int modifier,
                                 const float* gradient, SparseSum& sum) const {
    for_blocks(sentence, mask, head, modifier, [&](std::uint32_t at) {
        for (int l = 0; l < labels_; ++l)
            if (gradient[l] > negligible || gradient[l] < -negligible) sum.add(at + l, gradient[l]);
    });
}

std::uint64_t LabelFeatures::sibling_key(const Prepared& siblings, int head) const {
    std::uint64_t key = 1;
    for (const Template& t : siblings_)
        for (int slot = 0; slot < slots_of(siblings, t.head); ++slot)
            key = combine(key, is_valid(siblings, t.head, slot, head) ? hash_at(siblings, t.head, slot, head) : 0);
    return key;
}

template <class Body>
void LabelFeatures::for_sibling_blocks(const Prepared& siblings, std::uint32_t mask, int head, int previous,
                                       Body body) const {
    for (const Template& t : siblings_)
        for (int slot = 0; slot < slots_of(siblings, t.head); ++slot)
            if (is_valid(siblings, t.head, slot, head))
                body((t.seed + hash_at(siblings, t.head, slot, head) + spread(previous + 1)) & mask);
}

void LabelFeatures::score_siblings(const Prepared& siblings, Weights weights, int head, float* scores) const {
    std::fill(scores, scores + static_cast<std::size_t>(states()) * states(), 0.0f);
    for (int previous = 0; previous < states(); ++previous)
        for_sibling_blocks(siblings, weights.mask, head, previous, [&](std::uint32_t at) {
            add_block(weights.data + at, states(), scores + static_cast<std::size_t>(previous) * states());
        });
}

void LabelFeatures::add_sibling_gradient(const Prepared& siblings, std::uint32_t mask, int head, const float* gradient,
                                         SparseSum& sum) const {
    for (int previous = 0; previous < states(); ++previous)
        for_sibling_blocks(siblings, mask, head, previous, [&](std::uint32_t at) {
            const float* row = gradient + static_cast<std::size_t>(previous) * states();
            for (int l = 0; l < states(); ++l)
                if (row[l] > negligible || row[l] < -negligible) sum.add(at + l, row[l]);
        });
}

}  // namespace arbora
