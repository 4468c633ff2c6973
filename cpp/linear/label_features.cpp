#include "linear/label_features.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "linear/hashing.hpp"
#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

using Lanes8 = float __attribute__((vector_size(32)));

// Where the company of a feature begins, apart from the feature alone.
std::uint32_t spread(std::uint32_t code) { return code * 0x9e3779b1u; }

// sums[0 .. 8 * vectors) of the blocks that begin at weights + starts[i].
template <int vectors>
ARBORA_INLINE void add_blocks(const float* weights, const std::uint32_t* starts, std::size_t count, float* sums) {
    Lanes8 total[vectors] = {};
    for (std::size_t i = 0; i < count; ++i) {
        const float* block = weights + starts[i];
        for (int v = 0; v < vectors; ++v) {
            Lanes8 part;
            std::memcpy(&part, block + 8 * v, sizeof part);
            total[v] += part;
        }
    }
    std::memcpy(sums, total, sizeof total);
}

ARBORA_VECTORISED void sum_blocks(const float* weights, const std::uint32_t* starts, std::size_t count, int width,
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

// Starts of all blocks of every arc: blocks[i] .. blocks[i + 1] are those of arc i.
struct Blocks {
    std::vector<std::uint32_t> starts, by_stream;
    std::vector<std::size_t> ends;

    void set(const std::vector<Stream>& streams, const ArcColumns& arcs, std::uint32_t mask) {
        const std::size_t count = arcs.size();
        by_stream.resize(streams.size() * count);
        for (std::size_t s = 0; s < streams.size(); ++s)
            fill_indices(streams[s], arcs, mask, by_stream.data() + s * count);
        starts.clear();
        ends.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t direction = spread(arcs.directions[i]), distance = spread(arcs.distances[i]);
            for (std::size_t s = 0; s < streams.size(); ++s) {
                const Stream& t = streams[s];
                if (!t.is_valid(static_cast<int>(arcs.heads[i]), static_cast<int>(arcs.modifiers[i]))) continue;
                const std::uint32_t index = by_stream[s * count + i];
                if (t.alone) starts.push_back(index);
                if (t.direction) starts.push_back((index + direction) & mask);
                if (t.distance) starts.push_back((index + distance) & mask);
            }
            ends.push_back(starts.size());
        }
    }
};

struct Scratch {
    ArcColumns columns;
    std::vector<Stream> streams;
    Blocks blocks;

    void set(const std::vector<Template>& templates, const Prepared& sentence, const std::vector<Arc>& arcs,
             std::uint32_t mask) {
        columns.set(sentence, arcs);
        set_streams(templates, sentence, streams);
        blocks.set(streams, columns, mask);
    }
};

}  // namespace

LabelFeatures::LabelFeatures(const std::vector<Template>& arcs, const std::vector<Template>& siblings, int labels)
    : arcs_(arcs), siblings_(siblings), labels_(labels) {}

void LabelFeatures::score(const Prepared& sentence, Weights weights, const std::vector<Arc>& arcs,
                          float* scores) const {
    thread_local Scratch scratch;
    scratch.set(arcs_, sentence, arcs, weights.mask);
    const auto& [starts, by_stream, ends] = scratch.blocks;
    const int width = stride();
    const auto fetch = [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            for (int l = 0; l < labels_; l += 16) __builtin_prefetch(weights.data + starts[b] + l);
    };
    std::size_t begin = 0;
    if (!arcs.empty()) fetch(0, ends[0]);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        if (i + 1 < arcs.size()) fetch(ends[i], ends[i + 1]);
        sum_blocks(weights.data, starts.data() + begin, ends[i] - begin, width, scores + i * width);
        begin = ends[i];
    }
}

void LabelFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                                 const float* gradient, SparseSum& sum) const {
    thread_local Scratch scratch;
    scratch.set(arcs_, sentence, arcs, mask);
    const auto& [starts, by_stream, ends] = scratch.blocks;
    std::vector<std::uint32_t> active;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const float* row = gradient + i * labels_;
        active.clear();
        for (int l = 0; l < labels_; ++l)
            if (row[l] != 0) active.push_back(static_cast<std::uint32_t>(l));
        for (std::size_t b = begin; b < ends[i]; ++b)
            for (std::uint32_t l : active) sum.add(starts[b] + l, row[l]);
        begin = ends[i];
    }
}

template <class Body>
void LabelFeatures::for_sibling_blocks(const Prepared& sentence, std::uint32_t mask, int head, int previous,
                                       Body body) const {
    for (const Template& t : siblings_)
        for (int slot = 0; slot < sentence.slots(t.head); ++slot)
            if (sentence.valid(t.head, slot)[head] != 0)
                body((t.seed + sentence.values(t.head, slot)[head] + spread(previous + 1)) & mask);
}

void LabelFeatures::score_siblings(const Prepared& sentence, Weights weights, int head, float* scores) const {
    for (int previous = 0; previous < states(); ++previous) {
        float* row = scores + static_cast<std::size_t>(previous) * states();
        std::fill(row, row + states(), 0.0f);
        for_sibling_blocks(sentence, weights.mask, head, previous, [&](std::uint32_t at) {
            for (int l = 0; l < states(); ++l) row[l] += weights.data[at + l];
        });
    }
}

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
