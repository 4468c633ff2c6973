// The smallest pieces of the ten-column formats: lines and numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "treebank/conllu.hpp"

namespace arbora::treebank {

enum class Ending : std::uint8_t { none, lf, crlf };

struct Line {
    std::string_view text;                       // without its line end
    std::array<const char*, kColumns - 1> tabs;  // the first tab_count of them
    int tab_count = 0;                           // may be more than `tabs` holds
    bool ascii = true;
    bool stray_return = false;
    Ending ending = Ending::none;
    std::size_t bytes = 0;  // with its line end
};

// The line at the start of `rest`. One pass over its bytes finds its end, its tabs and what is suspicious in it.
Line cut_line(std::string_view rest);

// Digits as Python's str(int) writes them, so that a number read and written again is the same text.
std::optional<std::int32_t> number(std::string_view text);

}  // namespace arbora::treebank
