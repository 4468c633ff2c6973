#pragma once
#include <cstdint>

namespace arbora {

// SplitMix64 (Steele, Lea & Flood 2014): one 64-bit word of state, good enough for sampling trees, and the same
// numbers on every machine. Independent streams come from `Random(seed, stream)`.
class Random {
public:
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(seed) ^ mix(~stream)) {}

    std::uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15); }
    // Uniform on [0, 1), with 53 bits.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

private:
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

}  // namespace arbora
