#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "support/exponential.hpp"

namespace arbora {

// A non-negative real m * 2^e with m in [1, 2): a double's precision with an exponent that never runs out. Sums and
// products of weights like exp(+-1e6) keep full relative precision; there is no subtraction, so none can cancel.
class Wide {
public:
    constexpr Wide() = default;
    explicit Wide(double value) {
        if (value > 0) {
            int exponent;
            mantissa_ = 2 * std::frexp(value, &exponent);
            exponent_ = exponent - 1;
        }
    }

    // exp(high + low): the two pieces of an exact difference of scores.
    static Wide exp(double high, double low) {
        using namespace exponential;
        if (high == -INFINITY) return {};
        const double k = std::nearbyint(high * log2_e);
        // fused, so that the remainder is exact for any k
        const double r = std::fma(-k, ln2_low, std::fma(-k, ln2_high, high)) + low;
        return normalised(reduced(r), static_cast<std::int64_t>(k));
    }

    double log() const { return static_cast<double>(log_long()); }
    long double log_long() const {
        if (mantissa_ == 0) return -INFINITY;
        return static_cast<long double>(exponent_) * 0.693147180559945309417232121458L + std::log(mantissa_);
    }
    double value() const {
        if (exponent_ < -1100) return 0;
        return std::ldexp(mantissa_, exponent_ > 1100 ? 1100 : static_cast<int>(exponent_));
    }
    bool is_zero() const { return mantissa_ == 0; }

    friend Wide operator*(Wide a, Wide b) {
        return normalised(a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_);
    }
    friend Wide operator/(Wide a, Wide b) {
        return normalised(a.mantissa_ / b.mantissa_, a.exponent_ - b.exponent_);
    }
    friend Wide operator+(Wide a, Wide b) {
        if (a.exponent_ < b.exponent_) return b + a;
        const std::int64_t gap = a.exponent_ - b.exponent_;
        if (gap > 64) return a;
        return normalised(a.mantissa_ + b.mantissa_ * power_of_two(-gap), a.exponent_);
    }
    friend Wide operator+(Wide a, int b) { return a + Wide(b); }
    Wide& operator+=(Wide other) { return *this = *this + other; }

private:
    static constexpr std::int64_t zero_exponent = -(std::int64_t{1} << 50);

    static double power_of_two(std::int64_t e) { return std::bit_cast<double>((1023 + e) << 52); }
    // Mantissas of sums, products and quotients lie in (1/2, 4).
    static Wide normalised(double mantissa, std::int64_t exponent) {
        Wide result;
        if (mantissa == 0) return result;
        if (mantissa >= 2) {
            mantissa *= 0.5;
            ++exponent;
        } else if (mantissa < 1) {
            mantissa *= 2;
            --exponent;
        }
        result.mantissa_ = mantissa;
        result.exponent_ = exponent;
        return result;
    }

    double mantissa_ = 0;
    std::int64_t exponent_ = zero_exponent;
};

}  // namespace arbora
