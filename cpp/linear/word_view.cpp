#include "linear/word_view.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "support/letters.hpp"

namespace arbora {
namespace {

// The places of tags in sets of tags: models hang on them, as on the universal tags themselves, which do not change.
constexpr std::array<std::string_view, 17> universal_tags{"ADJ",   "ADP",   "ADV", "AUX",  "CCONJ", "DET",
                                                          "INTJ",  "NOUN",  "NUM", "PART", "PRON",  "PROPN",
                                                          "PUNCT", "SCONJ", "SYM", "VERB", "X"};

// Instead of a prefix or suffix that is longer than the word.
constexpr std::uint64_t too_short = name_seed("shorter");

// Hashes of the first 1, 2, ... characters; returns that of all. Marks go with the character before them, on whichever
// side that is.
template <class Letters, class EndsHere>
std::uint64_t chain_characters(Letters begin, Letters end, EndsHere ends_here, std::span<std::uint64_t> firsts) {
    std::uint64_t hash = 0;
    std::size_t count = 0;
    for (auto letter = begin; letter != end; ++letter) {
        hash = join_hashes(hash, *letter);
        if (count < firsts.size() && ends_here(letter)) firsts[count++] = hash;
    }
    std::fill(firsts.begin() + count, firsts.end(), too_short);
    return hash;
}

std::uint64_t shape_of(std::u32string_view form) {
    std::uint64_t hash = 0;
    char32_t last = 0, before = 0;
    for (char32_t letter : form) {
        const LetterKind what = letter_kind(letter);
        if (what == LetterKind::mark) continue;
        const char32_t kind = what == LetterKind::upper    ? U'X'
                              : what == LetterKind::letter ? U'x'
                              : what == LetterKind::digit  ? U'd'
                                                           : letter;
        if (kind == last && kind == before) continue;
        before = last;
        last = kind;
        hash = join_hashes(hash, kind);
    }
    return combine(hash, 0);  // that of marks alone is a shape too
}

// The places of the answers are part of what models mean: new ones come after the old.
std::uint64_t kind_of(std::u32string_view form) {
    bool digit = false, hyphen = false, upper = false, lower = false, other = false;
    std::size_t characters = 0;
    for (char32_t letter : form) {
        const LetterKind what = letter_kind(letter);
        digit |= what == LetterKind::digit;
        hyphen |= letter == U'-';
        upper |= what == LetterKind::upper;
        lower |= what == LetterKind::letter;
        other |= what == LetterKind::other && letter != U'-';
        characters += what != LetterKind::mark;
    }
    const bool initial = is_upper(form[0]);
    const std::uint64_t length = characters > 12 ? 4 : characters / 3;
    return mix_bits((digit | hyphen << 1 | upper << 2 | lower << 3 | other << 4 | initial << 5 | length << 6) + 1);
}

}  // namespace

WordClass class_of(std::string_view upos) {
    if (upos == "VERB" || upos == "AUX") return WordClass::verb;
    if (upos == "PUNCT") return WordClass::mark;
    if (upos == "CCONJ" || upos == "SCONJ") return WordClass::conjunction;
    if (upos == "ADP") return WordClass::adposition;
    return WordClass::other;
}

Nesting nesting_of(std::string_view form) {
    for (std::string_view opener : {"(", "[", "{", "-LRB-", "-LSB-"})
        if (form == opener) return Nesting::opens;
    for (std::string_view closer : {")", "]", "}", "-RRB-", "-RSB-"})
        if (form == closer) return Nesting::closes;
    for (std::string_view quote : {"\"", "''", "``", "\u201c", "\u201d", "\u00ab", "\u00bb"})
        if (form == quote) return Nesting::quotes;
    return Nesting::none;
}

int tag_number_of(std::string_view upos) {
    const auto found = std::find(universal_tags.begin(), universal_tags.end(), upos);
    if (found != universal_tags.end()) return static_cast<int>(found - universal_tags.begin());
    return 17 + static_cast<int>(WordView::text(upos) % 15);
}

std::uint64_t WordView::morph() const {
    const std::uint64_t upos = text(columns_.upos), xpos = text(columns_.xpos), feats = text(columns_.feats);
    return upos || xpos || feats ? combine(combine(upos, xpos), feats) : 0;
}

void WordView::read_letters() {
    thread_local std::u32string form, lower;
    is_read_ = true;
    letters_ = {};
    if (!is_known(columns_.form)) return;
    decode_utf8(columns_.form, form);
    lower_word(form, lower);
    const auto before_letter = [](auto letter) { return letter + 1 == lower.end() || !is_mark(letter[1]); };
    const auto at_letter = [](auto letter) { return letter + 1 == lower.rend() || !is_mark(*letter); };
    letters_.lower = chain_characters(lower.begin(), lower.end(), before_letter, letters_.prefixes);
    chain_characters(lower.rbegin(), lower.rend(), at_letter, letters_.suffixes);
    letters_.shape = shape_of(form);
    letters_.kind = kind_of(form);
}

}  // namespace arbora
