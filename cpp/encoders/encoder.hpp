// Transformer encoders as BERT's: embeddings, and layers of attention and dense parts, each with a norm after it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "encoders/dense.hpp"
#include "encoders/kernels.hpp"
#include "support/pool.hpp"

namespace arbora::encoders {

struct EncoderShape {
    std::size_t hidden, heads, inner, positions, first_position, vocabulary;
    float epsilon;
    Activation activation;

    // Of a sequence.
    std::size_t longest() const { return positions - first_position; }
};

struct NormView {
    const float* scale = nullptr;
    const float* shift = nullptr;
};

struct EmbeddingsView {
    const float* floats = nullptr;  // of words, or
    const std::int8_t* bytes = nullptr;
    const float* scales = nullptr;
    const float* positions = nullptr;
    const float* shapes = nullptr;  // of what words look like, or none
    std::size_t shape_count = 0;
    NormView norm;
};

// Sequences of sub-words one after the other: sequence s ends before ids[ends[s]]. `shapes` has one for each id, or is empty.
struct Sequences {
    std::span<const std::int32_t> ids;
    std::span<const std::uint8_t> shapes;
    std::span<const std::int64_t> ends;
};

struct LayerView {
    DenseView attention, mixing, inner, outer;
    NormView mixing_norm, outer_norm;
};

// It reads embeddings and norms where they lie, which must stay there; dense parts have copies. It does not change: any
// number of threads may use it.
class Encoder {
public:
    // With `mix`, a number for each layer, a result is the sum of those times what the layers give; without, it is what
    // the last one gives.
    Encoder(const EncoderShape& shape, const EmbeddingsView& embeddings, std::span<const LayerView> layers,
            std::span<const float> mix, const Kernels& kernels);

    const EncoderShape& shape() const { return shape_; }
    const Kernels& kernels() const { return *kernels_; }

    // How many shapes of words there are embeddings of; 0 if there are none.
    std::size_t shapes() const { return embeddings_.shape_count; }

    // A row of `hidden` numbers for every id. Ids are below `vocabulary`, shapes below `shapes()`, and no sequence is longer
    // than `longest`. Rows depend on their own sequence only, whatever else is in the call.
    void encode(const Sequences& sequences, int threads, float* out) const;

private:
    struct Layer {
        Dense attention, mixing, inner, outer;
        NormView mixing_norm, outer_norm;
    };
    struct Workspace {
        AlignedVector<float> rows, attention, mixed, inner, added, head;
        DenseScratch dense;
    };
    // Sequences that are worked on together.
    struct Group {
        std::size_t first, last;  // sequences
        std::size_t begin, end;   // ids
    };

    std::vector<Group> groups(std::span<const std::int64_t> ends) const;
    void encode_group(const Group& group, const Sequences& sequences, float* out) const;
    void embed(const Sequences& sequences, std::size_t begin, std::size_t end, float* out) const;
    void attend(const Layer& layer, const Group& group, const std::int64_t* ends, Workspace& space, float* x) const;
    void transform(const Layer& layer, std::size_t count, Workspace& space, float* x) const;
    void normalise(const NormView& norm, std::size_t count, const float* added, float* x) const;

    EncoderShape shape_;
    EmbeddingsView embeddings_;
    std::vector<Layer> layers_;
    std::vector<float> mix_;
    const Kernels* kernels_;
    mutable Pool<Workspace> workspaces_;
};

}  // namespace arbora::encoders
