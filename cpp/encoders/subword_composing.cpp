// Canonical and compatible decomposition and composition (UAX 15).
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "encoders/subword_normalizing.hpp"

namespace arbora::encoders {
namespace {

// Syllables of Hangul are made of their letters by arithmetic.
constexpr char32_t first_syllable = 0xac00, first_lead = 0x1100, first_vowel = 0x1161, before_tail = 0x11a7;
constexpr char32_t leads = 19, vowels = 21, tails = 28, syllables = leads * vowels * tails;

void append_letters_of_syllable(char32_t syllable, std::u32string& text) {
    const char32_t number = syllable - first_syllable, tail = number % tails;
    text.push_back(first_lead + number / (vowels * tails));
    text.push_back(first_vowel + number / tails % vowels);
    if (tail > 0) text.push_back(before_tail + tail);
}

// The syllable of two, or 0 if they make none.
char32_t syllable_of(char32_t first, char32_t second) {
    if (first - first_lead < leads && second - first_vowel < vowels)
        return first_syllable + ((first - first_lead) * vowels + (second - first_vowel)) * tails;
    const char32_t number = first - first_syllable, tail = second - before_tail;
    if (number < syllables && number % tails == 0 && tail > 0 && tail < tails) return first + tail;
    return 0;
}

class DecompositionStep : public NormalizingStep {
public:
    DecompositionStep(CharacterMap map, CharacterClasses combining)
        : map_(std::move(map)), combining_(std::move(combining)) {}
    void apply(std::u32string& text, std::u32string& space) const override {
        space.clear();
        for (const char32_t c : text) {
            if (c - first_syllable < syllables)
                append_letters_of_syllable(c, space);
            else
                map_.append(c, space);
        }
        order(space);
        text.swap(space);
    }
    bool is_plain() const override { return true; }

private:
    // Marks beside each other in the order of their classes; those of one class stay as they are.
    void order(std::u32string& text) const {
        const auto is_start = [&](char32_t c) { return combining_.of(c) == 0; };
        for (auto at = text.begin(); at != text.end();) {
            const auto begin = std::find_if_not(at, text.end(), is_start);
            at = std::find_if(begin, text.end(), is_start);
            if (at - begin > 1)
                std::stable_sort(begin, at,
                                 [&](char32_t a, char32_t b) { return combining_.of(a) < combining_.of(b); });
        }
    }

    CharacterMap map_;
    CharacterClasses combining_;
};

class CompositionStep : public NormalizingStep {
public:
    CompositionStep(std::span<const std::int32_t> triples, CharacterClasses combining)
        : combining_(std::move(combining)) {
        if (triples.empty() || triples.size() % 3) throw std::invalid_argument("pairs of characters are not whole");
        for (std::size_t at = 0; at < triples.size(); at += 3) {
            for (const std::int32_t c : triples.subspan(at, 3))
                if (c < 0 || c >= 0x110000) throw std::invalid_argument("pairs of characters are none");
            pairs_.push_back({key(triples[at], triples[at + 1]), static_cast<char32_t>(triples[at + 2])});
        }
        if (!std::is_sorted(pairs_.begin(), pairs_.end()))
            throw std::invalid_argument("pairs of characters are not in order");
    }
    void apply(std::u32string& text, std::u32string&) const override {
        constexpr std::size_t none = static_cast<std::size_t>(-1);
        std::size_t size = 0, start = none;
        int before = 0;  // the class of the last character after the start that was kept; 0 if there is none
        for (const char32_t c : text) {
            const int own = combining_.of(c);
            const bool is_blocked = start == none || (before != 0 && before >= own);
            if (const char32_t both = is_blocked ? 0 : composed(text[start], c)) {
                text[start] = both;
                continue;
            }
            if (own == 0) start = size;
            before = own;
            text[size++] = c;
        }
        text.resize(size);
    }
    bool is_plain() const override { return true; }

private:
    static std::uint64_t key(std::int64_t first, std::int64_t second) {
        return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second);
    }
    char32_t composed(char32_t first, char32_t second) const {
        if (const char32_t syllable = syllable_of(first, second)) return syllable;
        if (second < 0x300) return 0;  // no character before the marks is the second of a pair
        const std::pair<std::uint64_t, char32_t> wanted{key(first, second), 0};
        const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), wanted);
        return found != pairs_.end() && found->first == wanted.first ? found->second : 0;
    }

    std::vector<std::pair<std::uint64_t, char32_t>> pairs_;
    CharacterClasses combining_;
};

}  // namespace

std::unique_ptr<NormalizingStep> make_decomposition(CharacterMap map, CharacterClasses combining) {
    return std::make_unique<DecompositionStep>(std::move(map), std::move(combining));
}
std::unique_ptr<NormalizingStep> make_composition(std::span<const std::int32_t> triples, CharacterClasses combining) {
    return std::make_unique<CompositionStep>(triples, std::move(combining));
}

}  // namespace arbora::encoders
