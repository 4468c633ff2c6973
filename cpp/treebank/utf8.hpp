#pragma once

#include <cstddef>
#include <string_view>

namespace arbora::treebank {

// The offset of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7), or text.size() if all is
// well. Overlong forms, surrogates and code points above U+10FFFF are not well-formed.
std::size_t first_bad_utf8(std::string_view text);

}  // namespace arbora::treebank
