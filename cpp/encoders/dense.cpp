#include "encoders/dense.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace arbora::encoders {

Dense::Dense(const DenseView& view, const Kernels& kernels) : kernels_(&kernels), out_(view.out), in_(view.in) {
    if (in_ == 0 || out_ == 0 || in_ > most_in) throw std::invalid_argument("a dense part of no possible size");
    const std::size_t padded = rounded_up(out_, group_size);
    bias_.assign(view.bias, view.bias + out_);
    bias_.resize(padded);
    if (view.bytes) {
        scales_.assign(view.scales, view.scales + out_);
        scales_.resize(padded);
        pack_bytes(view.bytes);
    } else {
        pack_floats(view.floats);
    }
}

void Dense::pack_floats(const float* weights) {
    floats_.resize(bias_.size() * in_);
    for (std::size_t o = 0; o < out_; ++o) {
        float* group = floats_.data() + o / group_size * group_size * in_ + o % group_size;
        for (std::size_t i = 0; i < in_; ++i) group[i * group_size] = weights[o * in_ + i];
    }
}

void Dense::pack_bytes(const std::int8_t* weights) {
    const std::size_t padded = rounded_up(in_, step_size);
    bytes_.resize(bias_.size() * padded);
    sums_.resize(bias_.size());
    if (std::find(weights, weights + out_ * in_, INT8_MIN) != weights + out_ * in_)
        throw std::invalid_argument("weights in 8 bits are from -127 to 127, and one is -128");
    for (std::size_t o = 0; o < out_; ++o) {
        std::int8_t* group = bytes_.data() + o / group_size * group_size * padded + o % group_size * step_size;
        const std::int8_t* row = weights + o * in_;
        for (std::size_t i = 0; i < in_; ++i) sums_[o] += row[i];
        std::size_t i = 0;
        for (; i + step_size <= in_; i += step_size) std::memcpy(group + i * group_size, row + i, step_size);
        for (; i < in_; ++i) group[i / step_size * step_size * group_size + i % step_size] = row[i];
    }
}

void Dense::apply(const float* rows, std::size_t count, float* out, DenseScratch& scratch) const {
    const bool is_quantized = floats_.empty();
    if (is_quantized) {
        const std::size_t most = std::min(count, block_rows), bytes = most * kernels_->quantized_bytes(in_);
        if (scratch.numbers.size() < bytes) scratch.numbers.resize(bytes);
        if (scratch.scales.size() < most) scratch.scales.resize(most);
    }
    const QuantizedRows quantized{scratch.numbers.data(), scratch.scales.data()};
    for (std::size_t first = 0; first < count; first += block_rows) {
        const std::size_t own = std::min(block_rows, count - first);
        const float* begin = rows + first * in_;
        if (is_quantized) {
            kernels_->quantize(begin, own, in_, quantized);
            kernels_->multiply_bytes({bytes_.data(), scales_.data(), sums_.data(), bias_.data(), out_, in_}, quantized,
                                     own, out + first * out_);
        } else {
            kernels_->multiply_floats({floats_.data(), bias_.data(), out_, in_}, begin, own, out + first * out_);
        }
    }
}

void Dense::apply(const float* rows, std::size_t count, float* out) const {
    DenseScratch scratch;
    apply(rows, count, out, scratch);
}

}  // namespace arbora::encoders
