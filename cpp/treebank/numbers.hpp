#pragma once
#include <charconv>
#include <iterator>
#include <string>

namespace arbora::treebank {

inline void append_fixed(double number, int decimals, std::string& text) {
    char digits[400];  // the greatest double has 309 digits before the point
    text.append(digits, std::to_chars(digits, std::end(digits), number, std::chars_format::fixed, decimals).ptr);
}

}  // namespace arbora::treebank
