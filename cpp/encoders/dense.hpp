// A dense part at work: rows times weights, plus a bias.
#pragma once
#include <cstddef>
#include <cstdint>

#include "encoders/aligned.hpp"
#include "encoders/kernels.hpp"

namespace arbora::encoders {

// Weights as they lie in a model, output after output: either floats, or bytes from -127 to 127 with a scale for each output.
struct DenseView {
    const float* floats = nullptr;
    const std::int8_t* bytes = nullptr;
    const float* scales = nullptr;
    const float* bias = nullptr;
    std::size_t out = 0, in = 0;
};

// Memory that calls use again.
struct DenseScratch {
    AlignedVector<std::byte> numbers;
    AlignedVector<float> scales;
};

// It has a copy of the weights, in the order in which kernels read them, and does not change: any number of threads may
// use it. What comes of a row depends on nothing but that row.
class Dense {
public:
    // Rows that are worked on together: they, and the weights of some outputs, stay in the caches.
    static constexpr std::size_t block_rows = 96;
    // Beyond that, sums of products of bytes would not fit.
    static constexpr std::size_t most_in = 1 << 16;

    // std::invalid_argument if the view is of no possible size, or a byte is -128.
    Dense(const DenseView& view, const Kernels& kernels);

    std::size_t in() const { return in_; }
    std::size_t out() const { return out_; }
    // `count` rows of `in` numbers to as many of `out` numbers.
    void apply(const float* rows, std::size_t count, float* out, DenseScratch& scratch) const;
    void apply(const float* rows, std::size_t count, float* out) const;

private:
    void pack_floats(const float* weights);
    void pack_bytes(const std::int8_t* weights);

    const Kernels* kernels_;
    std::size_t out_, in_;
    AlignedVector<float> floats_, bias_, scales_;
    AlignedVector<std::int8_t> bytes_;
    AlignedVector<std::int32_t> sums_;
};

}  // namespace arbora::encoders
