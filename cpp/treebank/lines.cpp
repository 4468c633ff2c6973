#include "treebank/lines.hpp"

#include <bit>
#include <cstring>

namespace arbora::treebank {

std::optional<std::int32_t> number(std::string_view text) {
    if (text.empty() || text.size() > 9 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
    std::int32_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

namespace {

// The bits 0x80 of the bytes that are at most '\r' (tab, line feed and carriage return among them), exactly.
std::uint64_t low_bytes(std::uint64_t word) {
    constexpr std::uint64_t each = 0x0101010101010101u;
    const std::uint64_t above = ((word & (each * 0x7F)) + each * (0x7F - '\r')) | word;
    return ~above & (each * 0x80);
}

// The next byte at or after `at` that is at most '\r'; else `end`. Eight bytes at a time: most bytes are letters.
const char* next_low_byte(const char* at, const char* end, std::uint64_t& seen) {
    for (; end - at >= 8; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
        const std::uint64_t low = low_bytes(word);
        if (low != 0) {
            const int bits = std::countr_zero(low);  // the low byte's own place: 8 k + 7
            seen |= word & ((std::uint64_t{1} << (bits & ~7)) - 1);
            return at + bits / 8;
        }
        seen |= word;
    }
    for (; at != end && static_cast<unsigned char>(*at) > '\r'; ++at) seen |= static_cast<unsigned char>(*at);
    return at;
}

}  // namespace

Line cut_line(std::string_view rest) {
    constexpr std::uint64_t high_bits = 0x8080808080808080u;
    Line line;
    const char* at = rest.data();
    const char* const end = at + rest.size();
    const char* last_return = nullptr;
    int returns = 0;
    std::uint64_t seen = 0;
    for (at = next_low_byte(at, end, seen); at != end && *at != '\n'; at = next_low_byte(at + 1, end, seen)) {
        if (*at == '\t') {
            if (line.tab_count < kColumns - 1) line.tabs[static_cast<std::size_t>(line.tab_count)] = at;
            ++line.tab_count;
        } else if (*at == '\r') {
            last_return = at;
            ++returns;
        }
    }
    line.ascii = (seen & high_bits) == 0;
    auto length = static_cast<std::size_t>(at - rest.data());
    line.bytes = length;
    if (at != end) {
        ++line.bytes;
        line.ending = Ending::lf;
        if (last_return != nullptr && last_return + 1 == at) {
            line.ending = Ending::crlf;
            --length;
            --returns;
        }
    }
    line.stray_return = returns > 0;
    line.text = rest.substr(0, length);
    return line;
}

}  // namespace arbora::treebank
