#pragma once
#include <cstdint>
#include <string_view>

namespace arbora {

// 64-bit hashes that are the same on every machine: they are what a model file's weights are found by, so a change
// here is a change of the file format.

constexpr std::uint64_t mix_bits(std::uint64_t x) {
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
    return x ^ (x >> 32);
}

constexpr std::uint64_t combine(std::uint64_t hash, std::uint64_t next) {
    return mix_bits(hash * 0x9e3779b97f4a7c15 + next + 0x632be59bd9b4e019);
}

// A cheaper step for values that are hashes themselves.
constexpr std::uint64_t join_hashes(std::uint64_t hash, std::uint64_t next) {
    hash = (hash + next) * 0x9e3779b97f4a7c15;
    return hash ^ (hash >> 32);
}

// Never 0: that means "missing".
constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
    std::uint64_t hash = mix_bits(seed + 0x2545f4914f6cdd1d * (text.size() + 1));
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t piece = 0;
        for (int b = 0; b < 8; ++b) piece |= std::uint64_t{static_cast<unsigned char>(text[at + b])} << (8 * b);
        hash = combine(hash, piece);
    }
    std::uint64_t rest = 0;
    for (int b = 0; at < text.size(); ++at, ++b) rest |= std::uint64_t{static_cast<unsigned char>(text[at])} << (8 * b);
    hash = combine(hash, rest);
    return hash ? hash : 1;
}

// What a thing of the inventories (an atom, a role, a section, a class of characters) is in hashes: its name, never its
// place in a list, so that lists may grow and be put in another order.
constexpr std::uint64_t name_seed(std::string_view name) { return hash_text(name, 0); }

}  // namespace arbora
