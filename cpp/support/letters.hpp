// Letters, their cases and UTF-8, the same on every machine: no locale, no library.
#pragma once
#include <string>
#include <string_view>

namespace arbora {

// The characters of well-formed UTF-8; any other byte counts as a character of its own, U+DC80 to U+DCFF.
void decode_utf8(std::string_view text, std::u32string& result);
// Back to the same bytes.
void append_utf8(char32_t letter, std::string& text);

// The other case of a letter of the Latin, Greek, Cyrillic, Armenian, Georgian, Coptic or Glagolitic
// blocks that has exactly one; any other character as it is.
char32_t to_lower(char32_t letter);
char32_t to_upper(char32_t letter);

inline bool is_upper(char32_t letter) { return to_lower(letter) != letter; }
inline bool is_digit(char32_t letter) { return letter >= U'0' && letter <= U'9'; }
// ASCII letters, and all beyond ASCII but punctuation and signs of the common blocks.
bool is_letter(char32_t letter);

}  // namespace arbora
