// Letters, their cases, marks, and UTF-8, the same on every machine and for ever: no locale, no library. Atoms of words
// and edit scripts are made of these, so a change here changes what saved models mean.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace arbora {

// The characters of well-formed UTF-8; any other byte counts as a character of its own, U+DC80 to U+DCFF.
void decode_utf8(std::string_view text, std::u32string& result);
// Back to the same bytes.
void append_utf8(char32_t letter, std::string& text);

// What a character is to words. `upper` is what has a lower case, `letter` any other letter of any script, `mark` what
// belongs to the character before it (Mn, Mc, Me), `digit` a decimal digit of any script.
enum class LetterKind : std::uint8_t { other, upper, letter, mark, digit };
namespace letters_detail {
LetterKind letter_kind_beyond_ascii(char32_t letter);
char32_t to_lower_beyond_ascii(char32_t letter);
}  // namespace letters_detail
inline LetterKind letter_kind(char32_t letter) {
    if (letter >= 0x80) return letters_detail::letter_kind_beyond_ascii(letter);
    return letter - U'a' < 26   ? LetterKind::letter
           : letter - U'A' < 26 ? LetterKind::upper
           : letter - U'0' < 10 ? LetterKind::digit
                                : LetterKind::other;
}

inline bool is_upper(char32_t letter) { return letter_kind(letter) == LetterKind::upper; }
inline bool is_mark(char32_t letter) { return letter_kind(letter) == LetterKind::mark; }

// The lower case by Unicode's simple mapping: one character for one, in all scripts that have case. Dotted capital I
// (U+0130) becomes i; dotless i stays.
inline char32_t to_lower(char32_t letter) {
    if (letter >= 0x80) return letters_detail::to_lower_beyond_ascii(letter);
    return letter - U'A' < 26 ? letter + 32 : letter;
}
// The letter whose lower case this is, if they are each other's; any other character as it is.
char32_t to_upper(char32_t letter);
// A word in lower case: as its letters, but a capital sigma at the end of a word becomes a final one, as in Python's
// str.lower.
void lower_word(std::u32string_view word, std::u32string& result);

}  // namespace arbora
