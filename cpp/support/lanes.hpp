#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "support/exponential.hpp"

namespace arbora {

// Four doubles that are worked on together (GCC's and Clang's vector types): one AVX register, or two SSE2 ones.
// Everything is forced inline, so that each ARBORA_VECTORISED clone gets its own instructions.
#define ARBORA_INLINE [[gnu::always_inline]] inline
// The same for lambdas, after their parameters.
#define ARBORA_INLINED __attribute__((always_inline))

using Lanes = double __attribute__((vector_size(32)));
using LaneBits = std::int64_t __attribute__((vector_size(32)));
using LaneWords = std::uint64_t __attribute__((vector_size(32)));
inline constexpr int lane_count = 4;

// Eight numbers of half the size.
using Lanes8 = float __attribute__((vector_size(32)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));

ARBORA_INLINE Lanes8 load_eight(const float* p) {
    Lanes8 result;
    std::memcpy(&result, p, sizeof result);
    return result;
}

// Integers whose bytes are pairs of shorts: these, as integers. Compilers make twice as many instructions of a plain
// conversion of shorts.
static_assert(std::endian::native == std::endian::little);
template <class Ints>
ARBORA_INLINE Ints first_shorts(Ints pairs) {
    return pairs << 16 >> 16;
}
template <class Ints>
ARBORA_INLINE Ints second_shorts(Ints pairs) {
    return pairs >> 16;
}

ARBORA_INLINE Lanes all_lanes(double x) { return Lanes{x, x, x, x}; }

ARBORA_INLINE Lanes load(const double* p) {
    Lanes result;
    std::memcpy(&result, p, sizeof result);
    return result;
}

// The first `count` < 4 of them, the rest -inf: what is impossible adds nothing to a sum of exponentials or a maximum.
ARBORA_INLINE Lanes load_some(const double* p, int count) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    return Lanes{count > 0 ? p[0] : none, count > 1 ? p[1] : none, count > 2 ? p[2] : none, none};
}

ARBORA_INLINE void store(double* p, Lanes x) { std::memcpy(p, &x, sizeof x); }

// Of every pair of neighbours in both: unpcklpd and unpckhpd, which compilers make of this only.
#if defined(__clang__)
ARBORA_INLINE Lanes firsts(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 0, 4, 2, 6); }
ARBORA_INLINE Lanes seconds(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 1, 5, 3, 7); }
#else
ARBORA_INLINE Lanes firsts(Lanes a, Lanes b) { return __builtin_shuffle(a, b, LaneBits{0, 4, 2, 6}); }
ARBORA_INLINE Lanes seconds(Lanes a, Lanes b) { return __builtin_shuffle(a, b, LaneBits{1, 5, 3, 7}); }
#endif

// Two neighbouring columns of four rows that are `ld` apart.
struct TwoColumns {
    Lanes first, second;
};
ARBORA_INLINE TwoColumns load_two_columns(const double* p, std::size_t ld) {
    const double *a = p, *b = p + ld, *c = p + 2 * ld, *d = p + 3 * ld;
    const Lanes even{a[0], a[1], c[0], c[1]}, odd{b[0], b[1], d[0], d[1]};
    return {firsts(even, odd), seconds(even, odd)};
}

// Loading and storing the last columns of a row, of which there may be fewer than four.
ARBORA_INLINE Lanes load_up_to(const double* p, int count) {
    return count == lane_count ? load(p) : load_some(p, count);
}
ARBORA_INLINE void store_up_to(double* p, int count, Lanes x) {
    if (count == lane_count) return store(p, x);
    for (int l = 0; l < count; ++l) p[l] = x[l];
}

ARBORA_INLINE Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }

// a * b + c, rounded once on every machine.
ARBORA_INLINE Lanes fused(Lanes a, Lanes b, Lanes c) {
    return Lanes{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
                 std::fma(a[3], b[3], c[3])};
}

ARBORA_INLINE double largest_lane(Lanes x) {
    const double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}

// Of comparisons, whose lanes are 0 or -1.
ARBORA_INLINE bool none_of(LaneBits x) { return !((x[0] | x[1]) | (x[2] | x[3])); }

ARBORA_INLINE double sum_of_lanes(Lanes x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// exp in every lane, for |x| <= 700; equal to exp_bounded.
ARBORA_INLINE Lanes exp_moderate(Lanes x) {
    using namespace exponential;
    const Lanes shifted = x * log2_e + rounder;
    const Lanes k = shifted - rounder;
    const Lanes r = (x - k * ln2_high) - k * ln2_low;
    const LaneBits power = (std::bit_cast<LaneBits>(shifted) + 1023) << 52;
    return reduced(r) * std::bit_cast<Lanes>(power);
}

// exp_bounded in every lane.
ARBORA_INLINE Lanes exp_bounded(Lanes x) {
    const Lanes lowest = all_lanes(-700.0);
    const LaneBits underflows = x < lowest;
    const Lanes result = exp_moderate(underflows ? lowest : x);
    return underflows ? Lanes{} : result;
}

// log in every lane, for positive numbers that are neither infinite nor denormal, within 1 ulp: x = 2^k m with m in
// [sqrt(1/2), sqrt(2)), and log m = 2 artanh(s) with s = (m - 1) / (m + 1), by the polynomial of fdlibm.
ARBORA_INLINE Lanes log_positive(Lanes x) {
    using namespace exponential;
    constexpr std::uint64_t one = 0x3ff0000000000000, root_of_half = 0x3fe6a09e667f3bcd;
    const LaneWords bits = std::bit_cast<LaneWords>(x);
    const LaneWords exponent = (bits + (one - root_of_half)) >> 52;  // k + 1023
    const Lanes m = std::bit_cast<Lanes>(bits - ((exponent - 1023) << 52));
    // An integer below 2^52 in the low bits of 2^52 is added to it.
    const Lanes k = std::bit_cast<Lanes>(exponent | 0x4330000000000000) - (0x1p52 + 1023);
    const Lanes f = m - 1.0, s = f / (2.0 + f), z = s * s, w = z * z;
    const Lanes even = w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332));
    const Lanes odd = z * (0.6666666666666735130 +
                           w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591)));
    const Lanes half_square = 0.5 * f * f;
    return k * ln2_high - ((half_square - (s * (half_square + even + odd) + k * ln2_low)) - f);
}

}  // namespace arbora
