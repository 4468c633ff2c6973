#include "support/letters.hpp"

#include <algorithm>
#include <array>

namespace arbora {
namespace {

// Upper-case letters from first to last, every stride-th; the lower case is `distance` further on.
struct Cases {
    char32_t first, last;
    int distance, stride;
};

// In the order of their letters.
constexpr std::array<Cases, 43> cases{{
    {0x41, 0x5a, 32, 1},       {0xc0, 0xd6, 32, 1},        {0xd8, 0xde, 32, 1},     {0x100, 0x12e, 1, 2},
    {0x132, 0x136, 1, 2},      {0x139, 0x147, 1, 2},       {0x14a, 0x176, 1, 2},    {0x178, 0x178, -121, 1},
    {0x179, 0x17d, 1, 2},      {0x1cd, 0x1db, 1, 2},       {0x1de, 0x1ee, 1, 2},    {0x1f6, 0x1f6, -97, 1},
    {0x1f8, 0x21e, 1, 2},      {0x222, 0x232, 1, 2},       {0x386, 0x386, 38, 1},   {0x388, 0x38a, 37, 1},
    {0x38c, 0x38c, 64, 1},     {0x38e, 0x38f, 63, 1},      {0x391, 0x3a1, 32, 1},   {0x3a3, 0x3ab, 32, 1},
    {0x400, 0x40f, 80, 1},     {0x410, 0x42f, 32, 1},      {0x460, 0x480, 1, 2},    {0x48a, 0x4be, 1, 2},
    {0x4c0, 0x4c0, 15, 1},     {0x4c1, 0x4cd, 1, 2},       {0x4d0, 0x52e, 1, 2},    {0x531, 0x556, 48, 1},
    {0x10a0, 0x10c5, 7264, 1}, {0x1c90, 0x1cba, -3008, 1}, {0x1e00, 0x1e94, 1, 2},  {0x1ea0, 0x1efe, 1, 2},
    {0x1f08, 0x1f0f, -8, 1},   {0x1f18, 0x1f1d, -8, 1},    {0x1f28, 0x1f2f, -8, 1}, {0x1f38, 0x1f3f, -8, 1},
    {0x1f48, 0x1f4d, -8, 1},   {0x1f59, 0x1f5f, -8, 2},    {0x1f68, 0x1f6f, -8, 1}, {0x2c00, 0x2c2f, 48, 1},
    {0x2c80, 0x2ce2, 1, 2},    {0xa640, 0xa66c, 1, 2},     {0xff21, 0xff3a, 32, 1},
}};

bool is_within(char32_t letter, char32_t first, char32_t last) { return letter >= first && letter <= last; }

// How many bytes follow a lead byte of UTF-8; -1 if it is none.
int follow_count(unsigned char lead) {
    return lead < 0x80                   ? 0
           : is_within(lead, 0xc2, 0xdf) ? 1
           : is_within(lead, 0xe0, 0xef) ? 2
           : is_within(lead, 0xf0, 0xf4) ? 3
                                         : -1;
}

}  // namespace

void decode_utf8(std::string_view text, std::u32string& result) {
    result.clear();
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        const int more = follow_count(lead);
        bool sound = more >= 0 && at + more < text.size();
        char32_t letter = more <= 0 ? lead : lead & (0x3f >> more);
        for (int k = 1; sound && k <= more; ++k) {
            const auto byte = static_cast<unsigned char>(text[at + k]);
            sound = (byte & 0xc0) == 0x80;
            letter = letter << 6 | (byte & 0x3f);
        }
        // Overlong forms, surrogates and what is beyond Unicode are no characters either.
        sound = sound && !(more == 2 && (letter < 0x800 || is_within(letter, 0xd800, 0xdfff))) &&
                !(more == 3 && !is_within(letter, 0x10000, 0x10ffff));
        result.push_back(sound ? letter : 0xdc00 + lead);
        at += sound ? 1 + more : 1;
    }
}

void append_utf8(char32_t letter, std::string& text) {
    const auto add = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (letter < 0x80) return add(letter);
    if (is_within(letter, 0xdc80, 0xdcff)) return add(letter - 0xdc00);
    if (letter < 0x800) {
        add(0xc0 | letter >> 6);
    } else {
        if (letter < 0x10000) {
            add(0xe0 | letter >> 12);
        } else {
            add(0xf0 | letter >> 18);
            add(0x80 | (letter >> 12 & 0x3f));
        }
        add(0x80 | (letter >> 6 & 0x3f));
    }
    add(0x80 | (letter & 0x3f));
}

char32_t to_lower(char32_t letter) {
    if (letter < 0xc0) return is_within(letter, U'A', U'Z') ? letter + 32 : letter;
    if (letter == 0x130) return U'i';  // the capital of Turkish has a dot
    for (const Cases& range : cases) {
        if (letter < range.first) break;
        if (letter <= range.last) return (letter - range.first) % range.stride ? letter : letter + range.distance;
    }
    return letter;
}

char32_t to_upper(char32_t letter) {
    if (letter < 0xc0) return is_within(letter, U'a', U'z') ? letter - 32 : letter;
    for (const Cases& range : cases) {
        const char32_t upper = letter - range.distance;
        if (is_within(upper, range.first, range.last) && (upper - range.first) % range.stride == 0) return upper;
    }
    return letter;
}

bool is_letter(char32_t letter) {
    if (letter < 0x80) return is_within(letter | 32, U'a', U'z');
    if (letter < 0xc0) return letter == 0xaa || letter == 0xb5 || letter == 0xba;
    return letter != 0xd7 && letter != 0xf7 && !is_within(letter, 0x2000, 0x2bff) &&
           !is_within(letter, 0x3000, 0x3020) && !is_within(letter, 0xd800, 0xf8ff) &&
           !is_within(letter, 0xfe10, 0xfe6f) && !is_within(letter, 0xff00, 0xff20) &&
           !is_within(letter, 0x1f000, 0x1faff);
}

}  // namespace arbora
