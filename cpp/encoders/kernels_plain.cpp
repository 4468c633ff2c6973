// For any machine: vectors of 128 bits, which most have, by the compiler's own types.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "encoders/kernels.hpp"

#define ARBORA_TARGET

namespace arbora::encoders::plain {

constexpr int part_bytes = 16;
constexpr int float_rows = 2, float_groups = 1, byte_rows = 2, byte_groups = 1;
constexpr int attention_queries = 2, attention_vectors = 1;

#include "encoders/kernel_vectors.hpp"

ARBORA_STEP Part larger_part(Part a, Part b) { return a > b ? a : b; }
ARBORA_STEP Part smaller_part(Part a, Part b) { return a < b ? a : b; }

#include "encoders/kernel_attention.hpp"
#include "encoders/kernel_rows.hpp"

// Where rounding once is an instruction it is what the other kernels do; elsewhere it would take ten times as long.
ARBORA_STEP Floats fused(Floats a, Floats b, Floats c) {
#if defined(__FP_FAST_FMAF)
    Floats result;
    for (int i = 0; i < parts; ++i)
        for (int l = 0; l < lanes / parts; ++l) result.part[i][l] = std::fma(a.part[i][l], b.part[i][l], c.part[i][l]);
    return result;
#else
    return a * b + c;
#endif
}

using Quantized = std::int16_t;
using Shorts = std::uint16_t __attribute__((vector_size(16)));
using SignedShorts = std::int16_t __attribute__((vector_size(16)));

ARBORA_STEP void store_quantized(Quantized* p, Ints x) {
    for (int i = 0; i < lanes; ++i) p[i] = static_cast<std::int8_t>(x.part[i / 4][i % 4] & 0xff);
}

ARBORA_STEP Shorts loaded(const void* p) {
    Shorts result;
    std::memcpy(&result, p, sizeof result);
    return result;
}

// The second or the first of each pair of bytes, as shorts.
ARBORA_STEP Shorts second_bytes(Shorts pairs) {
    return __builtin_bit_cast(Shorts, __builtin_bit_cast(SignedShorts, pairs) >> 8);
}
ARBORA_STEP Shorts first_bytes(Shorts pairs) { return second_bytes(pairs << 8); }

// Of products of each pair of shorts, the sum. All are bytes in size.
ARBORA_STEP PartInts pair_products(Shorts a, Shorts b) {
#if defined(__SSE2__)
    return __builtin_bit_cast(PartInts, _mm_madd_epi16(__builtin_bit_cast(__m128i, a), __builtin_bit_cast(__m128i, b)));
#else
    using SignedInts = std::int32_t __attribute__((vector_size(16)));
    const PartInts products = __builtin_bit_cast(PartInts, a * b);
    const SignedInts first = __builtin_bit_cast(SignedInts, products << 16) >> 16;
    const SignedInts second = __builtin_bit_cast(SignedInts, products) >> 16;
    return __builtin_bit_cast(PartInts, first) + __builtin_bit_cast(PartInts, second);
#endif
}

template <int rows, int groups>
ARBORA_STEP void multiply_tile(const std::int8_t* weights, std::size_t length, const Quantized* numbers,
                               std::size_t stride, const std::int32_t*, Ints (&result)[rows][groups]) {
    static_assert(groups == 1);
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < parts; ++i) result[r][0].part[i] = PartInts{};
    for (std::size_t i = 0; i < length; i += 64) {
        Shorts even[rows], odd[rows];
        for (int r = 0; r < rows; ++r) {
            const Quantized* x = numbers + r * stride + i / group_size;
            std::uint16_t own[4];
            std::memcpy(own, x, sizeof own);
            even[r] = Shorts{own[0], own[2], own[0], own[2], own[0], own[2], own[0], own[2]};
            odd[r] = Shorts{own[1], own[3], own[1], own[3], own[1], own[3], own[1], own[3]};
        }
        for (int q = 0; q < parts; ++q) {
            const Shorts pairs = loaded(weights + i + 16 * q);
            const Shorts first = first_bytes(pairs), second = second_bytes(pairs);
            for (int r = 0; r < rows; ++r)
                result[r][0].part[q] += pair_products(first, even[r]) + pair_products(second, odd[r]);
        }
    }
}

#include "encoders/kernel_dense.hpp"

static bool is_supported() { return true; }

extern const Kernels kernels;
const Kernels kernels{"plain",           is_supported, quantized_bytes, quantize,     multiply_bytes, multiply_floats,
                      attention_scratch, attend,       activate,        add_and_norm, expand,         add_multiple};

}  // namespace arbora::encoders::plain
