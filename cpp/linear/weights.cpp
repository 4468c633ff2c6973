#include "linear/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace arbora {

float round_weights(const float* weights, std::size_t count, std::int16_t* result) {
    float greatest = 0;
    for (std::size_t i = 0; i < count; ++i) greatest = std::max(greatest, std::abs(weights[i]));
    int exponent = 0;
    std::frexp(greatest, &exponent);  // greatest < 2^exponent
    const float step = std::ldexp(1.0f, std::max(exponent - 15, -120));
    // The greatest weight may round to 2^15, which is one too many.
    for (std::size_t i = 0; i < count; ++i)
        result[i] = static_cast<std::int16_t>(std::min(std::rint(weights[i] / step), 32767.0f));
    return step;
}

void SparseSum::grow(std::size_t capacity) {
    std::vector<std::uint32_t> keys(capacity, empty), used;
    std::vector<float> values(capacity);
    std::swap(keys, keys_);
    std::swap(values, values_);
    std::swap(used, used_);
    shift_ = 32 - std::countr_zero(capacity);
    for (std::uint32_t slot : used) {
        std::size_t to = place(keys[slot]);
        while (keys_[to] != empty) to = (to + 1) & (capacity - 1);
        keys_[to] = keys[slot];
        values_[to] = values[slot];
        used_.push_back(static_cast<std::uint32_t>(to));
    }
}

}  // namespace arbora
