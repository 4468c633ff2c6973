#include "linear/weights.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "support/large_pages.hpp"
#include "support/vectorise.hpp"

namespace arbora {

namespace {

// The power of two with which the greatest weight takes all 16 bits.
float step_of(float greatest) {
    int exponent = 0;
    std::frexp(greatest, &exponent);  // greatest < 2^exponent
    return std::ldexp(1.0f, std::max(exponent - 15, -120));
}

// To the nearest integer, of two the even one; the greatest weight may round to 2^15, which is one too many.
ARBORA_VECTORISED void round_all(const float* weights, std::size_t count, float scale, std::int16_t* result) {
    constexpr float rounder = 0x1.8p23f;  // adding it leaves no place for a fraction
    for (std::size_t i = 0; i < count; ++i) {
        const float whole = (weights[i] * scale + rounder) - rounder;
        result[i] = static_cast<std::int16_t>(static_cast<std::int32_t>(whole < 32767.0f ? whole : 32767.0f));
    }
}

constexpr std::size_t block = 256;
constexpr int levels = 127;

std::array<float, 256> values_of_codes() {
    std::array<float, 256> values;
    for (int byte = 0; byte < 256; ++byte) {
        const double code = static_cast<std::int8_t>(byte), share = code / levels;
        values[byte] = static_cast<float>(code < 0 ? -(share * share) : share * share);
    }
    return values;
}

}  // namespace

float round_weights(const float* weights, std::size_t count, std::int16_t* result) {
    float greatest = 0;
    for (std::size_t i = 0; i < count; ++i) greatest = std::max(greatest, std::abs(weights[i]));
    const float step = step_of(greatest);
    round_all(weights, count, 1 / step, result);
    return step;
}

float round_weights(const CompactWeights& weights, std::size_t count, std::int16_t* result) {
    const std::array<float, 256> values = values_of_codes();
    const std::size_t size = weights.codes.size();
    float greatest = 0;
    for (std::size_t begin = 0; begin < size; begin += block) {
        int code = 0;
        for (std::size_t i = begin; i < std::min(begin + block, size); ++i)
            code = std::max(code, std::abs(weights.codes[i]));
        greatest = std::max(greatest, std::abs(values[std::min(code, levels)] * weights.peaks[begin / block]));
    }
    const float step = step_of(greatest);
    // One more, so that a weight without a code may look at it.
    LargeVector<std::int16_t> kept(weights.is_kept ? size + 1 : 0);
    std::int16_t* to = weights.is_kept ? kept.data() : result;
    for (std::size_t begin = 0; begin < size; begin += block) {
        std::array<float, 256> of_block;
        std::array<std::int16_t, 256> shorts;
        for (std::size_t code = 0; code < 256; ++code) of_block[code] = values[code] * weights.peaks[begin / block];
        round_all(of_block.data(), 256, 1 / step, shorts.data());
        for (std::size_t i = begin; i < std::min(begin + block, size); ++i)
            to[i] = shorts[static_cast<std::uint8_t>(weights.codes[i])];
    }
    for (std::size_t i = 0, next = 0; weights.is_kept && i < count; next += weights.is_kept[i++])
        result[i] = weights.is_kept[i] ? to[next] : 0;
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
