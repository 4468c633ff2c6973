// What characters are to sub-words: tables over all of Unicode, made of ranges once. A model has its own tables, so it
// means the same whatever becomes of Unicode.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace arbora::encoders {

constexpr char32_t end_of_unicode = 0x110000;

// White space as Unicode has it, which has not changed since 6.3.
inline bool is_white(char32_t c) {
    if (c < 0x80) return c == ' ' || c - 9 < 5;
    return c == 0x85 || c == 0xa0 || c == 0x1680 || c - 0x2000 < 11 || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

// A number for every character, in two stages: blocks of 256, most of which are alike.
template <class Number>
class CharacterTable {
public:
    CharacterTable() : blocks_(256) {}
    Number of(char32_t c) const { return c < end_of_unicode ? blocks_[pages_[c >> 8] << 8 | (c & 255)] : Number(0); }
    void set(char32_t c, Number number) {
        std::uint16_t& page = pages_[c >> 8];
        if (page == 0) {
            page = static_cast<std::uint16_t>(blocks_.size() >> 8);
            blocks_.resize(blocks_.size() + 256);
        }
        blocks_[page << 8 | (c & 255)] = number;
    }

private:
    std::array<std::uint16_t, end_of_unicode / 256> pages_{};
    std::vector<Number> blocks_;
};

// Classes from 1 to 255 of characters, and 0 for all others. Triples (first, last, class) of ranges in rising order;
// std::invalid_argument if they are anything else.
using CharacterClasses = CharacterTable<std::uint8_t>;
CharacterClasses read_classes(std::span<const std::int32_t> triples);

// What becomes of characters: nothing, or other ones. The characters of range k, (first, last) in rising order, become
// `values` from ends[k - 1] to ends[k], where -1 is the character itself; std::invalid_argument if they cannot.
class CharacterMap {
public:
    CharacterMap(std::span<const std::int32_t> ranges, std::span<const std::int32_t> ends,
                 std::span<const std::int32_t> values);

    template <class Text>
    void append(char32_t c, Text& text) const {
        const std::uint16_t row = rows_.of(c);
        if (row == 0) {
            text.push_back(c);
            return;
        }
        for (std::int32_t k = starts_[row - 1]; k < starts_[row]; ++k)
            text.push_back(values_[k] < 0 ? c : static_cast<char32_t>(values_[k]));
    }

private:
    CharacterTable<std::uint16_t> rows_;
    std::vector<std::int32_t> starts_, values_;
};

}  // namespace arbora::encoders
