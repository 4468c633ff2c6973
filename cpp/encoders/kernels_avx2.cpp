// Registers of 256 bits.
#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>
#include <cstring>
#include <limits>

#include "encoders/kernels.hpp"

#define ARBORA_TARGET __attribute__((target("avx2,fma")))

namespace arbora::encoders::avx2 {

constexpr int part_bytes = 32;
constexpr int float_rows = 6, float_groups = 1, byte_rows = 3, byte_groups = 1;
constexpr int attention_queries = 2, attention_vectors = 2;

#include "encoders/kernel_vectors.hpp"

ARBORA_STEP Part larger_part(Part a, Part b) { return _mm256_max_ps(a, b); }
ARBORA_STEP Part smaller_part(Part a, Part b) { return _mm256_min_ps(a, b); }

#include "encoders/kernel_attention.hpp"
#include "encoders/kernel_rows.hpp"

ARBORA_STEP Floats fused(Floats a, Floats b, Floats c) {
    return {{_mm256_fmadd_ps(a.part[0], b.part[0], c.part[0]), _mm256_fmadd_ps(a.part[1], b.part[1], c.part[1])}};
}

using Quantized = std::int8_t;

ARBORA_STEP __m256i low_byte(PartInts x) { return _mm256_srai_epi32(__builtin_bit_cast(__m256i, x << 24), 24); }

ARBORA_STEP void store_quantized(Quantized* p, Ints x) {
    const __m256i shorts = _mm256_packs_epi32(low_byte(x.part[0]), low_byte(x.part[1]));
    const __m256i bytes = _mm256_packs_epi16(shorts, shorts);
    // Each half of a register was packed on its own.
    const __m256i ordered = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
    const __m128i first = _mm256_castsi256_si128(ordered);
    std::memcpy(p, &first, sizeof first);
}

ARBORA_STEP __m256i load_bytes(const std::int8_t* p) {
    __m256i result;
    std::memcpy(&result, p, sizeof result);
    return result;
}

// The instruction multiplies bytes without a sign by bytes with one, and sums two products as a short: rows give the sizes
// of their numbers, and their signs to the weights. As long as those are no less than -127, sums are within a short.
template <int rows, int groups>
ARBORA_STEP void multiply_tile(const std::int8_t* weights, std::size_t length, const Quantized* numbers,
                               std::size_t stride, const std::int32_t*, Ints (&result)[rows][groups]) {
    static_assert(groups == 1);
    const __m256i ones = _mm256_set1_epi16(1);
    for (int r = 0; r < rows; ++r) result[r][0].part[0] = result[r][0].part[1] = PartInts{};
    for (std::size_t i = 0; i < length; i += 64) {
        const __m256i first = load_bytes(weights + i), second = load_bytes(weights + i + 32);
        for (int r = 0; r < rows; ++r) {
            std::int32_t four;
            std::memcpy(&four, numbers + r * stride + i / group_size, sizeof four);
            const __m256i x = _mm256_set1_epi32(four), size = _mm256_abs_epi8(x);
            const __m256i a = _mm256_maddubs_epi16(size, _mm256_sign_epi8(first, x));
            const __m256i b = _mm256_maddubs_epi16(size, _mm256_sign_epi8(second, x));
            result[r][0].part[0] += __builtin_bit_cast(PartInts, _mm256_madd_epi16(a, ones));
            result[r][0].part[1] += __builtin_bit_cast(PartInts, _mm256_madd_epi16(b, ones));
        }
    }
}

#include "encoders/kernel_dense.hpp"

static bool is_supported() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

extern const Kernels kernels;
const Kernels kernels{"avx2",          is_supported,      quantized_bytes, quantize, multiply_bytes,
                      multiply_floats, attention_scratch, attend,          activate, add_and_norm,
                      expand,          add_multiple};

}  // namespace arbora::encoders::avx2
#endif
