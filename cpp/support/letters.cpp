#include "support/letters.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "support/letter_tables.hpp"

namespace arbora {
namespace {

bool is_within(char32_t letter, char32_t first, char32_t last) { return letter >= first && letter <= last; }

struct Properties {
    std::int32_t to_lower = 0, to_upper = 0;  // how far the other case is
    LetterKind kind = LetterKind::other;
    bool is_cased = false, is_ignorable = false;
};

// The properties of all characters in two stages: blocks of 256, most of which are alike.
class LetterTable {
public:
    LetterTable() {
        namespace tables = letter_tables;
        blocks_.emplace_back();
        for (const auto& [first, last] : tables::letters)
            for (char32_t c = first; c <= last; ++c) at(c).kind = LetterKind::letter;
        for (const auto& [first, last] : tables::marks)
            for (char32_t c = first; c <= last; ++c) {
                at(c).kind = LetterKind::mark;
                at(c).is_ignorable = true;
            }
        for (char32_t first : tables::digits)
            for (char32_t c = first; c < first + 10; ++c) at(c).kind = LetterKind::digit;
        for (const auto& [first, last] : tables::cased)
            for (char32_t c = first; c <= last; ++c) at(c).is_cased = true;
        for (const auto& [first, last] : tables::ignorable)
            for (char32_t c = first; c <= last; ++c) at(c).is_ignorable = true;
        for (const tables::Cases& range : tables::one_way) add_cases(range, false);
        for (const tables::Cases& range : tables::pairs) add_cases(range, true);
    }

    const Properties& of(char32_t c) const {
        static const Properties none;
        return c < 0x110000 ? blocks_[pages_[c >> 8]][c & 255] : none;
    }

private:
    Properties& at(char32_t c) {
        std::uint16_t& page = pages_[c >> 8];
        if (page == 0) {
            page = static_cast<std::uint16_t>(blocks_.size());
            blocks_.emplace_back();
        }
        return blocks_[page][c & 255];
    }
    void add_cases(const letter_tables::Cases& range, bool both_ways) {
        for (char32_t c = range.first; c <= range.last; c += range.stride) {
            at(c).to_lower = range.distance;
            at(c).kind = LetterKind::upper;
            if (both_ways) at(c + range.distance).to_upper = -range.distance;
        }
    }

    std::array<std::uint16_t, 0x110000 / 256> pages_{};
    std::vector<std::array<Properties, 256>> blocks_;
};

const Properties& properties(char32_t letter) {
    static const LetterTable table;
    return table.of(letter);
}

// How many bytes follow a lead byte of UTF-8; -1 if it is none.
int follow_count(unsigned char lead) {
    return lead < 0x80                   ? 0
           : is_within(lead, 0xc2, 0xdf) ? 1
           : is_within(lead, 0xe0, 0xef) ? 2
           : is_within(lead, 0xf0, 0xf4) ? 3
                                         : -1;
}

// Whether the nearest character in a direction that can end a word has case.
template <class Letters>
bool begins_cased(Letters begin, Letters end) {
    const auto met = std::find_if(begin, end, [](char32_t letter) { return !properties(letter).is_ignorable; });
    return met != end && properties(*met).is_cased;
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

LetterKind letters_detail::letter_kind_beyond_ascii(char32_t letter) { return properties(letter).kind; }

char32_t letters_detail::to_lower_beyond_ascii(char32_t letter) { return letter + properties(letter).to_lower; }

char32_t to_upper(char32_t letter) {
    if (letter < 0x80) return is_within(letter, U'a', U'z') ? letter - 32 : letter;
    return letter + properties(letter).to_upper;
}

void lower_word(std::u32string_view word, std::u32string& result) {
    constexpr char32_t capital_sigma = 0x3a3, final_sigma = 0x3c2;
    result.resize(word.size());
    for (std::size_t i = 0; i < word.size(); ++i) {
        result[i] = to_lower(word[i]);
        if (word[i] == capital_sigma && begins_cased(word.rend() - i, word.rend()) &&
            !begins_cased(word.begin() + i + 1, word.end()))
            result[i] = final_sigma;
    }
}

}  // namespace arbora
