#pragma once
#include "support/lanes.hpp"
#include "support/wide.hpp"

namespace arbora {

// Four Wides that are worked on together, mantissas and exponents apart. In registers, mantissas of products may be above
// 2; what is stored is as Wide has it, but that a zero's exponent is merely very low.
struct WideLanes {
    Lanes mantissas, exponents;

    WideLanes() = default;
    ARBORA_INLINE explicit WideLanes(Wide x) : WideLanes(all_lanes(x.mantissa_), all_lanes(x.exponent_)) {}

    // Neighbours in memory; the second and the third change places, in all ways of loading and storing.
    ARBORA_INLINE explicit WideLanes(const Wide* p) {
        static_assert(sizeof(Wide) == 2 * sizeof(double));
        Lanes first, second;
        std::memcpy(&first, p, sizeof first);
        std::memcpy(&second, p + 2, sizeof second);
        mantissas = firsts(first, second);
        exponents = seconds(first, second);
    }
    // `stride` numbers apart.
    ARBORA_INLINE WideLanes(const Wide* p, std::size_t stride) {
        const Wide &a = p[0], &b = p[stride], &c = p[2 * stride], &d = p[3 * stride];
        mantissas = Lanes{a.mantissa_, c.mantissa_, b.mantissa_, d.mantissa_};
        exponents = Lanes{a.exponent_, c.exponent_, b.exponent_, d.exponent_};
    }
    ARBORA_INLINE void store(Wide* p) const {
        const Lanes first = firsts(mantissas, exponents), second = seconds(mantissas, exponents);
        std::memcpy(static_cast<void*>(p), &first, sizeof first);
        std::memcpy(static_cast<void*>(p + 2), &second, sizeof second);
    }

    // exp(high + low) in every lane, as Wide has it.
    ARBORA_INLINE static WideLanes exp(Lanes high, Lanes low) {
        using namespace exponential;
        const LaneBits is_zero = high == -std::numeric_limits<double>::infinity();
        const Lanes x = is_zero ? Lanes{} : high, k = (x * log2_e + rounder) - rounder;
        const Lanes r = fused(-k, all_lanes(ln2_low), fused(-k, all_lanes(ln2_high), x)) + low;
        const WideLanes power = normalised(reduced(r), k);
        return {is_zero ? Lanes{} : power.mantissas, is_zero ? all_lanes(Wide::zero_exponent) : power.exponents};
    }

    ARBORA_INLINE friend WideLanes operator*(const WideLanes& a, const WideLanes& b) {
        return {a.mantissas * b.mantissas, a.exponents + b.exponents};
    }
    // Sums are normalised, and may be of products.
    ARBORA_INLINE friend WideLanes operator+(const WideLanes& a, const WideLanes& b) {
        const WideLanes sum = multiple_of_sum(a, b);
        return normalised(sum.mantissas, sum.exponents);
    }
    // Not normalised.
    template <class... More>
    ARBORA_INLINE static WideLanes multiple_of_sum(const WideLanes& first, const More&... more) {
        Lanes top = first.exponents;
        ((top = larger(more.exponents, top)), ...);
        const Top aligned(top);
        return {(first.below(aligned) + ... + more.below(aligned)), top};
    }

    // What others are written as multiples of: 2^top, where top is no less than their exponents.
    class Top {
    public:
        ARBORA_INLINE explicit Top(Lanes top) : less_(top - (0x1p52 + 1023)) {}
        // 2^(exponents - top). What is below 2^-1000 is as good as nothing beside 1. An integer in the low bits of 2^52 is
        // shifted to where exponents are.
        ARBORA_INLINE Lanes scale(Lanes exponents) const {
            const Lanes shifted = larger(exponents - less_, all_lanes(0x1p52 + 23));
            return std::bit_cast<Lanes>(std::bit_cast<LaneWords>(shifted) << 52);
        }

    private:
        Lanes less_;
    };
    ARBORA_INLINE Lanes below(const Top& top) const { return mantissas * top.scale(exponents); }
    // And back, for sums of such multiples.
    ARBORA_INLINE static WideLanes normalised(Lanes multiples, Lanes top) {
        constexpr std::uint64_t one = 0x3ff0000000000000, below_exponent = 0x000fffffffffffff;
        const LaneWords bits = std::bit_cast<LaneWords>(multiples);
        const Lanes more = std::bit_cast<Lanes>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
        const Lanes from_one = std::bit_cast<Lanes>((bits & below_exponent) | one);
        return {multiples == 0.0 ? Lanes{} : from_one, top + more};
    }

    ARBORA_INLINE WideLanes normal() const { return normalised(mantissas, exponents); }

    // log in every lane, within an ulp or two of the result; -inf of 0. Also of products of a few.
    ARBORA_INLINE Lanes log() const {
        using namespace exponential;
        const LaneBits is_zero = mantissas == 0.0;
        const Lanes of_mantissas = log_positive(is_zero ? all_lanes(1) : mantissas);
        const Lanes result = exponents * ln2_high + (exponents * ln2_low + of_mantissas);
        return is_zero ? all_lanes(-std::numeric_limits<double>::infinity()) : result;
    }

private:
    ARBORA_INLINE WideLanes(Lanes mantissas, Lanes exponents) : mantissas(mantissas), exponents(exponents) {}

    // Of every pair of neighbours in both: unpcklpd and unpckhpd, which compilers make of this only.
#if defined(__clang__)
    ARBORA_INLINE static Lanes firsts(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 0, 4, 2, 6); }
    ARBORA_INLINE static Lanes seconds(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 1, 5, 3, 7); }
#else
    ARBORA_INLINE static Lanes firsts(Lanes a, Lanes b) { return __builtin_shuffle(a, b, LaneBits{0, 4, 2, 6}); }
    ARBORA_INLINE static Lanes seconds(Lanes a, Lanes b) { return __builtin_shuffle(a, b, LaneBits{1, 5, 3, 7}); }
#endif
};

// The sum of numbers, `count` of which are read in whole vectors.
ARBORA_INLINE Wide sum_of(const Wide* numbers, int count) {
    Lanes tops = WideLanes(numbers).exponents;
    for (int i = lane_count; i < count; i += lane_count) tops = larger(WideLanes(numbers + i).exponents, tops);
    const Lanes top = all_lanes(largest_lane(tops));
    const WideLanes::Top aligned(top);
    Lanes sum{};
    for (int i = 0; i < count; i += lane_count) sum += WideLanes(numbers + i).below(aligned);
    Wide four[lane_count];
    WideLanes::normalised(all_lanes(sum_of_lanes(sum)), top).store(four);
    return four[0];
}

// What comes of lanes that were loaded, as it was in memory.
ARBORA_INLINE Lanes in_order(Lanes x) { return Lanes{x[0], x[2], x[1], x[3]}; }

// The same names as for doubles.
ARBORA_INLINE WideLanes all_lanes(Wide x) { return WideLanes(x); }
ARBORA_INLINE WideLanes load(const Wide* p) { return WideLanes(p); }
ARBORA_INLINE void store(Wide* p, const WideLanes& x) { x.store(p); }
ARBORA_INLINE Wide sum_of_lanes(const WideLanes& x) {
    Wide lanes[lane_count];
    x.store(lanes);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace arbora
