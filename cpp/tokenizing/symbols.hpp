// Text as symbols: its characters, with every run of spaces made one symbol.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace arbora::tokenizing {

// What a character is. Which characters are what is a table of the model, made when it was trained: Unicode grows, and
// a model does not change. The numbers stand in those tables, so they are for ever: a new class comes after the last.
enum class CharClass : std::uint8_t {
    other = 0,
    space = 1,
    line_break = 2,
    upper = 3,
    lower = 4,
    letter = 5,
    mark = 6,
    digit = 7,
    number = 8,
    opening = 9,
    closing = 10,
    dash = 11,
    punctuation = 12,
    symbol = 13,
    picture = 14,
    control = 15,
    count
};
// By their numbers.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(CharClass::count)> char_class_names{
    "other",  "space",   "line break", "upper", "lower",       "letter", "mark",    "digit",
    "number", "opening", "closing",    "dash",  "punctuation", "symbol", "picture", "control"};

inline bool is_space(CharClass c) { return c == CharClass::space || c == CharClass::line_break; }
// Letters, their marks, and numbers: what words are made of.
inline bool is_word_part(CharClass c) { return c >= CharClass::upper && c <= CharClass::number; }

// The classes of all characters in two stages: blocks[256 * pages[c / 256] + c % 256].
struct ClassTable {
    static constexpr std::size_t pages_needed = 0x110000 / 256;
    const std::uint16_t* pages;
    const std::uint8_t* blocks;

    CharClass of(std::uint32_t c) const { return static_cast<CharClass>(blocks[256u * pages[c >> 8] + (c & 255)]); }
};

// Codes of runs of spaces, beyond those of all characters; features are hashed from them, so they are for ever. A line is a run with one line break, a paragraph one with
// several; `space` is U+0020 alone, `spaces` any other run within a line. Begin and end of a text are like paragraphs, with the spaces there.
enum Gap : std::uint32_t { gap_space = 0x110000, gap_spaces, gap_line, gap_paragraph };

inline bool is_gap(std::uint32_t code) { return code >= gap_space; }
inline bool is_line_break(std::uint32_t code) { return code >= gap_line; }

// At a paragraph the symbol stands so often, so that no window of `widest` characters reaches over it.
inline constexpr int widest = 6;
inline constexpr int padding = 8;

struct Symbols {
    std::vector<std::uint32_t> code;
    std::vector<CharClass> kind;
    std::vector<std::uint32_t> byte, character;  // where each begins; one more than there are symbols

    std::size_t size() const { return code.size(); }
};

// The symbols of well-formed UTF-8 of less than 2^32 bytes.
void read_symbols(std::string_view text, const ClassTable& classes, Symbols& result);

// The character at the start of well-formed UTF-8, and its bytes.
struct Decoded {
    std::uint32_t code;
    unsigned bytes;
};
inline Decoded decode(const char* at) {
    const auto byte = [at](int k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[k])); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    if (first < 0xe0) return {(first & 31) << 6 | (byte(1) & 63), 2};
    if (first < 0xf0) return {(first & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63), 3};
    return {(first & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63), 4};
}

}  // namespace arbora::tokenizing
