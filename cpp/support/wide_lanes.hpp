#pragma once
#include "support/cells.hpp"
#include "support/lanes.hpp"
#include "support/wide.hpp"

namespace arbora {

// Four Wides that are worked on together, mantissas and exponents apart. In registers, mantissas of products may be above
// 2; what is stored is as Wide has it, but that a zero's exponent is merely very low.
struct WideLanes {
    Lanes mantissas{}, exponents = all_lanes(Wide::zero_exponent);

    ARBORA_INLINE WideLanes() = default;
    ARBORA_INLINE WideLanes(Lanes mantissas, Lanes exponents) : mantissas(mantissas), exponents(exponents) {}
    ARBORA_INLINE explicit WideLanes(Wide x) : WideLanes(all_lanes(x.mantissa_), all_lanes(x.exponent_)) {}

    ARBORA_INLINE Wide operator[](int lane) const {
        Wide result;
        result.mantissa_ = mantissas[lane];
        result.exponent_ = exponents[lane];
        return result;
    }
    ARBORA_INLINE void set(int lane, Wide x) {
        mantissas[lane] = x.mantissa_;
        exponents[lane] = x.exponent_;
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
    ARBORA_INLINE friend WideLanes operator/(const WideLanes& a, const WideLanes& b) {
        return {a.mantissas / b.mantissas, a.exponents - b.exponents};
    }
    // Sums are normalised, and may be of products.
    ARBORA_INLINE friend WideLanes operator+(const WideLanes& a, const WideLanes& b) {
        return multiple_of_sum(a, b).normal();
    }
    ARBORA_INLINE friend WideLanes operator+(const WideLanes& a, int b) { return a + WideLanes(Wide(b)); }
    ARBORA_INLINE WideLanes& operator+=(const WideLanes& other) { return *this = *this + other; }
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
            const Lanes shifted = larger(exponents - less_, load(lowest));
            return std::bit_cast<Lanes>(std::bit_cast<LaneWords>(shifted) << 52);
        }

    private:
        // Four times 2^52 + 23. Compilers that know it make two instructions of the maximum.
        static const double lowest[lane_count];
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
};

// The same names as for doubles.
ARBORA_INLINE WideLanes all_lanes(Wide x) { return WideLanes(x); }
ARBORA_INLINE WideLanes load(WideCells p) { return {load(p.mantissas()), load(p.exponents())}; }
ARBORA_INLINE void store(WideCells p, const WideLanes& x) {
    store(p.mantissas(), x.mantissas);
    store(p.exponents(), x.exponents);
}
ARBORA_INLINE void store_up_to(WideCells p, int count, const WideLanes& x) {
    store_up_to(p.mantissas(), count, x.mantissas);
    store_up_to(p.exponents(), count, x.exponents);
}
// One number in all lanes.
ARBORA_INLINE Lanes spread(const double* p) { return all_lanes(*p); }
ARBORA_INLINE WideLanes spread(WideCells p) { return {all_lanes(*p.mantissas()), all_lanes(*p.exponents())}; }
// The sum of `count` numbers, which are read in whole vectors; in all lanes, and not normalised.
ARBORA_INLINE WideLanes sum_of(WideCells numbers, int count) {
    Lanes tops = load(numbers.exponents());
    for (int i = lane_count; i < count; i += lane_count) tops = larger(load(numbers.exponents() + i), tops);
    const Lanes top = all_lanes(largest_lane(tops));
    const WideLanes::Top aligned(top);
    Lanes sum{};
    for (int i = 0; i < count; i += lane_count) sum += load(numbers + i).below(aligned);
    return {all_lanes(sum_of_lanes(sum)), top};
}

// Numbers as they may be stored, for loops over lanes of either kind.
ARBORA_INLINE Lanes normal(Lanes x) { return x; }
ARBORA_INLINE WideLanes normal(const WideLanes& x) { return x.normal(); }

}  // namespace arbora
