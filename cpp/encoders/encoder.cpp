#include "encoders/encoder.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/parallel.hpp"

namespace arbora::encoders {
namespace {

// Sequences are joined until they have so many rows: enough for weights to be read from the caches many times, and few
// enough for the rows to stay in the caches too.
constexpr std::size_t group_rows = Dense::block_rows;

float* at_least(AlignedVector<float>& buffer, std::size_t count) {
    if (buffer.size() < count) buffer.resize(count);
    return buffer.data();
}

}  // namespace

Encoder::Encoder(const EncoderShape& shape, const EmbeddingsView& embeddings, std::span<const LayerView> layers,
                 std::span<const float> mix, const Kernels& kernels)
    : shape_(shape), embeddings_(embeddings), mix_(mix.begin(), mix.end()), kernels_(&kernels) {
    if (layers.empty() || (!mix.empty() && mix.size() != layers.size()))
        throw std::invalid_argument("an encoder has layers, and a number for each of them to mix them");
    layers_.reserve(layers.size());
    for (const LayerView& layer : layers)
        layers_.push_back({Dense(layer.attention, kernels), Dense(layer.mixing, kernels), Dense(layer.inner, kernels),
                           Dense(layer.outer, kernels), layer.mixing_norm, layer.outer_norm});
}

void Encoder::encode(const Sequences& sequences, int threads, float* out) const {
    const std::vector<Group> all = groups(sequences.ends);
    parallel_for(all.size(), threads, [&](std::size_t g) { encode_group(all[g], sequences, out); });
}

std::vector<Encoder::Group> Encoder::groups(std::span<const std::int64_t> ends) const {
    std::vector<Group> result;
    std::size_t begin = 0;
    for (std::size_t s = 0; s < ends.size(); ++s) {
        const auto end = static_cast<std::size_t>(ends[s]);
        if (result.empty() || end - result.back().begin > group_rows) result.push_back({s, s, begin, begin});
        result.back().last = s + 1;
        result.back().end = end;
        begin = end;
    }
    return result;
}

void Encoder::encode_group(const Group& group, const Sequences& sequences, float* out) const {
    const std::int64_t* ends = sequences.ends.data();
    auto lease = workspaces_.lease();
    Workspace& space = *lease;
    const std::size_t count = group.end - group.begin, size = count * shape_.hidden;
    float* own = out + group.begin * shape_.hidden;
    float* x = mix_.empty() ? own : at_least(space.rows, size);
    std::size_t begin = group.begin;
    for (std::size_t s = group.first; s < group.last; ++s) {
        const auto end = static_cast<std::size_t>(ends[s]);
        embed(sequences, begin, end, x + (begin - group.begin) * shape_.hidden);
        begin = end;
    }
    normalise(embeddings_.norm, count, nullptr, x);
    if (!mix_.empty()) std::fill(own, own + size, 0.0f);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        attend(layers_[l], group, ends, space, x);
        transform(layers_[l], count, space, x);
        if (!mix_.empty()) kernels_->add_multiple(mix_[l], x, size, own);
    }
}

void Encoder::embed(const Sequences& sequences, std::size_t begin, std::size_t end, float* out) const {
    const std::size_t hidden = shape_.hidden;
    for (std::size_t i = begin; i < end; ++i, out += hidden) {
        const auto id = static_cast<std::size_t>(sequences.ids[i]);
        const float* position = embeddings_.positions + (shape_.first_position + i - begin) * hidden;
        if (embeddings_.bytes) {
            kernels_->expand(embeddings_.bytes + id * hidden, embeddings_.scales[id], position, hidden, out);
        } else {
            const float* word = embeddings_.floats + id * hidden;
            for (std::size_t c = 0; c < hidden; ++c) out[c] = word[c] + position[c];
        }
        if (sequences.shapes.empty()) continue;
        const float* shape = embeddings_.shapes + sequences.shapes[i] * hidden;
        for (std::size_t c = 0; c < hidden; ++c) out[c] += shape[c];
    }
}

// x = norm(x + mixing(attention(x)))
void Encoder::attend(const Layer& layer, const Group& group, const std::int64_t* ends, Workspace& space,
                     float* x) const {
    const std::size_t count = group.end - group.begin, hidden = shape_.hidden;
    float* three = at_least(space.attention, count * 3 * hidden + attention_slack);
    float* mixed = at_least(space.mixed, count * hidden);
    float* added = at_least(space.added, count * hidden);
    layer.attention.apply(x, count, three, space.dense);
    std::size_t begin = group.begin;
    for (std::size_t s = group.first; s < group.last; ++s) {
        const auto end = static_cast<std::size_t>(ends[s]);
        const std::size_t first = begin - group.begin;
        const AttentionRows rows{three + first * 3 * hidden, end - begin, hidden, shape_.heads};
        kernels_->attend(rows, at_least(space.head, kernels_->attention_scratch(rows)), mixed + first * hidden);
        begin = end;
    }
    layer.mixing.apply(mixed, count, added, space.dense);
    normalise(layer.mixing_norm, count, added, x);
}

// x = norm(x + outer(activation(inner(x)))), some rows at a time: what is between is wide.
void Encoder::transform(const Layer& layer, std::size_t count, Workspace& space, float* x) const {
    const std::size_t hidden = shape_.hidden;
    float* inner = at_least(space.inner, Dense::block_rows * shape_.inner);
    float* added = at_least(space.added, Dense::block_rows * hidden);
    for (std::size_t first = 0; first < count; first += Dense::block_rows) {
        const std::size_t own = std::min(Dense::block_rows, count - first);
        layer.inner.apply(x + first * hidden, own, inner, space.dense);
        kernels_->activate(shape_.activation, inner, own * shape_.inner);
        layer.outer.apply(inner, own, added, space.dense);
        normalise(layer.outer_norm, own, added, x + first * hidden);
    }
}

void Encoder::normalise(const NormView& norm, std::size_t count, const float* added, float* x) const {
    kernels_->add_and_norm(x, added, count, shape_.hidden, {norm.scale, norm.shift, shape_.epsilon});
}

}  // namespace arbora::encoders
