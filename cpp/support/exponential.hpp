#pragma once
#include <bit>
#include <cstdint>

namespace arbora {

namespace exponential {
inline constexpr double log2_e = 1.4426950408889634;
// ln 2 in two pieces; the first has 21 trailing zero bits, so that k * ln2_high is exact for |k| < 2^21.
inline constexpr double ln2_high = 6.93147180369123816490e-01;
inline constexpr double ln2_low = 1.90821492927058770002e-10;
// Adding this rounds to the nearest integer and leaves that integer in the low bits of the mantissa.
inline constexpr double rounder = 0x1.8p52;

// exp(r) for |r| <= ln(2) / 2: the polynomial of degree 11 through the Chebyshev nodes, right to 1e-17 before
// rounding. Estrin's scheme: Horner's chain of dependent operations would wait on itself.
template <class Real>
[[gnu::always_inline]] inline Real reduced(Real r) {
    const Real r2 = r * r, r4 = r2 * r2;
    const Real low = (r + 1.0) + r2 * (r * 0.1666666666666668 + 0.5000000000000019);
    const Real middle =
        (r * 0.008333333333319589 + 0.04166666666648795) + r2 * (r * 0.00019841269890076403 + 0.0013888888952352863);
    const Real high = (r * 2.755724088722987e-06 + 2.4801485441561313e-05) +
                      r2 * (r * 2.5110049204818658e-08 + 2.763265472252779e-07);
    return low + r4 * (middle + r4 * high);
}
}  // namespace exponential

// exp(x) for x <= 700, within 2 ulp; 0 for x < -700, -inf included. Branch-free; lanes.hpp has it four at a time,
// about 1 ns an element.
inline double exp_bounded(double x) {
    using namespace exponential;
    const double clamped = x < -700.0 ? -700.0 : x;
    const double shifted = clamped * log2_e + rounder;
    const double k = shifted - rounder;
    const double r = (clamped - k * ln2_high) - k * ln2_low;
    const auto bits = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    const double scaled = reduced(r) * std::bit_cast<double>(bits);
    return x < -700.0 ? 0.0 : scaled;
}

}  // namespace arbora
