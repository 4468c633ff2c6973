#include "treebank/utf8.hpp"

namespace arbora::treebank {

namespace {

// What may follow a lead byte: how many bytes, and the range of the first of them (the others are 80..BF).
struct Follow {
    int count;
    unsigned char low, high;
};

Follow follow(unsigned char lead) {
    if (lead < 0x80) return {0, 0x80, 0xBF};
    if (lead >= 0xC2 && lead <= 0xDF) return {1, 0x80, 0xBF};
    if (lead == 0xE0) return {2, 0xA0, 0xBF};  // below: overlong
    if (lead == 0xED) return {2, 0x80, 0x9F};  // above: surrogates
    if (lead >= 0xE1 && lead <= 0xEF) return {2, 0x80, 0xBF};
    if (lead == 0xF0) return {3, 0x90, 0xBF};  // below: overlong
    if (lead >= 0xF1 && lead <= 0xF3) return {3, 0x80, 0xBF};
    if (lead == 0xF4) return {3, 0x80, 0x8F};  // above: beyond U+10FFFF
    return {-1, 0, 0};
}

}  // namespace

std::size_t first_bad_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const auto [count, low, high] = follow(static_cast<unsigned char>(text[at]));
        if (count < 0 || at + static_cast<std::size_t>(count) >= text.size()) return at;
        for (int k = 1; k <= count; ++k) {
            const auto byte = static_cast<unsigned char>(text[at + static_cast<std::size_t>(k)]);
            const bool fits = k == 1 ? byte >= low && byte <= high : byte >= 0x80 && byte <= 0xBF;
            if (!fits) return at;
        }
        at += static_cast<std::size_t>(count) + 1;
    }
    return at;
}

}  // namespace arbora::treebank
