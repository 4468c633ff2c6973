#include "encoders/subword_characters.hpp"

#include <stdexcept>

namespace arbora::encoders {
namespace {

void expect_characters(bool holds, const char* reason) {
    if (!holds) throw std::invalid_argument(reason);
}

bool is_character(std::int32_t c) { return c >= 0 && c < 0x110000 && !(c >= 0xd800 && c < 0xe000); }

// Ranges of characters, `width` numbers each, of which the first two are the ends; each is handed on with its place.
template <class Take>
void read_ranges(std::span<const std::int32_t> ranges, std::size_t width, const Take& take) {
    expect_characters(!ranges.empty() && ranges.size() % width == 0, "ranges of characters are not whole");
    std::int32_t before = -1;
    for (std::size_t at = 0; at < ranges.size(); at += width) {
        const std::int32_t first = ranges[at], last = ranges[at + 1];
        expect_characters(first > before && last >= first && is_character(last) && is_character(first),
                          "ranges of characters are not in order");
        before = last;
        for (std::int32_t c = first; c <= last; ++c) take(static_cast<char32_t>(c), at);
    }
}

}  // namespace

CharacterClasses read_classes(std::span<const std::int32_t> triples) {
    CharacterClasses result;
    read_ranges(triples, 3, [&](char32_t c, std::size_t at) {
        const std::int32_t number = triples[at + 2];
        expect_characters(number > 0 && number < 256, "there is no such class of characters");
        result.set(c, static_cast<std::uint8_t>(number));
    });
    return result;
}

CharacterMap::CharacterMap(std::span<const std::int32_t> ranges, std::span<const std::int32_t> ends,
                           std::span<const std::int32_t> values)
    : starts_{0}, values_(values.begin(), values.end()) {
    expect_characters(ends.size() == ranges.size() / 2 && ends.size() < 0xffff, "a map of characters is not whole");
    for (const std::int32_t end : ends) {
        expect_characters(end >= starts_.back(), "a map of characters is not in order");
        starts_.push_back(end);
    }
    expect_characters(starts_.back() == static_cast<std::int64_t>(values.size()), "a map of characters is not whole");
    for (const std::int32_t value : values)
        expect_characters(value == -1 || is_character(value), "a map of characters has values that are none");
    read_ranges(ranges, 2, [&](char32_t c, std::size_t at) { rows_.set(c, static_cast<std::uint16_t>(at / 2 + 1)); });
}

}  // namespace arbora::encoders
