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

// A feature in company begins at a distance from the feature alone.
constexpr std::uint32_t company_spread = 0x9e3779b1u;

std::uint32_t zero_block(std::uint32_t mask, int stride) { return mask + 1 + static_cast<std::uint32_t>(stride); }

// Adds the blocks that begin at weights + starts[i] to sums[0 .. 8 * vectors).
template <int vectors>
ARBORA_INLINE void add_blocks(const float* weights, const std::uint32_t* starts, std::size_t count, float* sums) {
    Lanes8 total[vectors];
    std::memcpy(total, sums, sizeof total);
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

ARBORA_VECTORISED void add_all_blocks(const float* weights, const std::uint32_t* starts, std::size_t count, int width,
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

ARBORA_VECTORISED void shift(const std::uint32_t* __restrict indices, const std::uint32_t* __restrict codes,
                             std::uint32_t mask, std::size_t count, std::uint32_t* __restrict shifted) {
    for (std::size_t i = 0; i < count; ++i) shifted[i] = (indices[i] + codes[i] * company_spread) & mask;
}

// Starts of the blocks of every arc: `rows` for each of them, one after the other. A feature that is not there has the
// block of zeros behind the table.
struct Blocks {
    std::size_t rows = 0;
    std::vector<std::uint32_t> starts;

    void set(const std::vector<Stream>& streams, const ArcColumns& arcs, std::uint32_t mask, std::uint32_t zeros) {
        const std::size_t count = arcs.size();
        rows = 0;
        for (const Stream& t : streams) rows += t.alone + t.direction + t.distance;
        starts.resize(rows * count);
        by_row_.resize(rows * count);
        indices_.resize(count);
        std::uint32_t* row = by_row_.data();
        const auto close = [&](const Stream& t) {
            for (std::size_t i = 0; t.valid_heads && i < count; ++i)
                if (!t.is_valid(static_cast<int>(arcs.heads[i]), static_cast<int>(arcs.modifiers[i]))) row[i] = zeros;
            row += count;
        };
        for (const Stream& t : streams) {
            fill_indices(t, arcs, mask, indices_.data());
            if (t.alone) {
                std::copy(indices_.begin(), indices_.end(), row);
                close(t);
            }
            if (t.direction) {
                shift(indices_.data(), arcs.directions.data(), mask, count, row);
                close(t);
            }
            if (t.distance) {
                shift(indices_.data(), arcs.distances.data(), mask, count, row);
                close(t);
            }
        }
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < count; ++i) starts[i * rows + r] = by_row_[r * count + i];
    }

private:
    std::vector<std::uint32_t> by_row_, indices_;
};

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
    ArcColumns columns;
    std::vector<Stream> streams;
    Blocks blocks;

    void set(const std::vector<Template>& templates, const Prepared& sentence, const std::vector<Arc>& arcs,
             std::uint32_t mask, int stride) {
        columns.set(sentence, arcs);
        set_streams(templates, sentence, streams);
        blocks.set(streams, columns, mask, zero_block(mask, stride));
    }
};

}  // namespace

LabelFeatures::LabelFeatures(const std::vector<Template>& arcs, const std::vector<Template>& siblings, int labels)
    : siblings_(siblings), labels_(labels) {
    for (const Template& t : arcs) (t.head < 0 && t.arc < 0 && !t.distance ? shared_ : others_).push_back(t);
}

void LabelFeatures::score(const Prepared& sentence, Weights weights, const std::vector<Arc>& arcs,
                          float* scores) const {
    thread_local Scratch scratch;
    const std::size_t width = stride();
    find_first_likes(arcs, scratch.firsts, scratch.like);
    scratch.sums.assign(scratch.firsts.size() * width, 0);
    scratch.set(shared_, sentence, scratch.firsts, weights.mask, stride());
    const Blocks& blocks = scratch.blocks;
    for (std::size_t i = 0; i < scratch.firsts.size(); ++i)
        add_all_blocks(weights.data, blocks.starts.data() + i * blocks.rows, blocks.rows, stride(),
                       scratch.sums.data() + i * width);
    scratch.set(others_, sentence, arcs, weights.mask, stride());
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        std::copy_n(scratch.sums.data() + scratch.like[i] * width, width, scores + i * width);
        add_all_blocks(weights.data, blocks.starts.data() + i * blocks.rows, blocks.rows, stride(), scores + i * width);
    }
}

void LabelFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                                 const float* gradient, SparseSum& sum) const {
    thread_local Scratch scratch;
    const std::uint32_t zeros = zero_block(mask, stride());
    std::vector<std::uint32_t> active;
    for (const std::vector<Template>* templates : {&shared_, &others_}) {
    scratch.set(*templates, sentence, arcs, mask, stride());
    const Blocks& blocks = scratch.blocks;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const float* row = gradient + i * labels_;
        active.clear();
        for (int l = 0; l < labels_; ++l)
            if (row[l] != 0) active.push_back(static_cast<std::uint32_t>(l));
        for (std::size_t b = i * blocks.rows; b < (i + 1) * blocks.rows; ++b)
            for (std::uint32_t l : active)
                if (blocks.starts[b] != zeros) sum.add(blocks.starts[b] + l, row[l]);
    }
    }
}

template <class Body>
void LabelFeatures::for_sibling_blocks(const Prepared& sentence, std::uint32_t mask, int head, int previous,
                                       Body body) const {
    for (const Template& t : siblings_)
        for (int slot = 0; slot < sentence.slots(t.head); ++slot)
            if (sentence.valid(t.head, slot)[head] != 0)
                body((t.seed + sentence.values(t.head, slot)[head] + static_cast<std::uint32_t>(previous + 1) * company_spread) & mask);
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
