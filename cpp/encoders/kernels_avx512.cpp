// Registers of 512 bits, and one instruction for four products of bytes (VNNI).
#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>
#include <cstring>
#include <limits>

#include "encoders/kernels.hpp"

#define ARBORA_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")))

namespace arbora::encoders::avx512_vnni {

constexpr int part_bytes = 64;
constexpr int float_rows = 6, float_groups = 4, byte_rows = 6, byte_groups = 4;
constexpr int attention_queries = 4, attention_vectors = 2;

#include "encoders/kernel_vectors.hpp"

ARBORA_STEP Part larger_part(Part a, Part b) { return _mm512_maskz_max_ps(0xffff, a, b); }
ARBORA_STEP Part smaller_part(Part a, Part b) { return _mm512_maskz_min_ps(0xffff, a, b); }

#include "encoders/kernel_attention.hpp"
#include "encoders/kernel_rows.hpp"

ARBORA_STEP Floats fused(Floats a, Floats b, Floats c) { return {{_mm512_fmadd_ps(a.part[0], b.part[0], c.part[0])}}; }

// The instruction multiplies bytes without a sign by bytes with one: to the numbers of rows 128 is added.
using Quantized = std::uint8_t;

ARBORA_STEP void store_quantized(Quantized* p, Ints x) {
    using Bytes = std::uint8_t __attribute__((vector_size(16)));
    const Bytes bytes = __builtin_convertvector(x.part[0] + 128, Bytes);
    std::memcpy(p, &bytes, sizeof bytes);
}

template <int rows, int groups>
ARBORA_STEP void multiply_tile(const std::int8_t* weights, std::size_t length, const Quantized* numbers,
                               std::size_t stride, const std::int32_t* weight_sums, Ints (&result)[rows][groups]) {
    for (int g = 0; g < groups; ++g) {
        PartInts own;
        std::memcpy(&own, weight_sums + g * group_size, sizeof own);
        for (int r = 0; r < rows; ++r) result[r][g].part[0] = own * -128u;
    }
    for (std::size_t i = 0; i < length; i += 64) {
        __m512i weight[groups];
        for (int g = 0; g < groups; ++g) weight[g] = _mm512_loadu_si512(weights + g * length + i);
        for (int r = 0; r < rows; ++r) {
            std::int32_t four;
            std::memcpy(&four, numbers + r * stride + i / group_size, sizeof four);
            const __m512i x = _mm512_set1_epi32(four);
            for (int g = 0; g < groups; ++g)
                result[r][g].part[0] = __builtin_bit_cast(
                    PartInts, _mm512_dpbusd_epi32(__builtin_bit_cast(__m512i, result[r][g].part[0]), x, weight[g]));
        }
    }
}

#include "encoders/kernel_dense.hpp"

static bool is_supported() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma");
}

extern const Kernels kernels;
const Kernels kernels{"avx512-vnni",     is_supported, quantized_bytes, quantize,     multiply_bytes, multiply_floats,
                      attention_scratch, attend,       activate,        add_and_norm, expand,         add_multiple};

}  // namespace arbora::encoders::avx512_vnni
#endif
