// SentencePiece's own map of characters, as the `tokenizers` library applies it: by clusters, each of which becomes what
// its shortest known beginning becomes. (SentencePiece itself takes the longest, anywhere.)
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "encoders/subword_normalizing.hpp"
#include "support/letters.hpp"

namespace arbora::encoders {
namespace {

constexpr std::size_t longest_cluster = 5;  // bytes; longer ones are taken character by character

// A double array: a unit has a label, where its children are, and whether a key ends there.
class CharsmapStep : public NormalizingStep {
public:
    CharsmapStep(std::string_view charsmap, CharacterClasses clusters) : clusters_(std::move(clusters)) {
        std::uint32_t bytes = 0;
        if (charsmap.size() >= 4) bytes = word_at(charsmap, 0);
        if (bytes < 4 || bytes % 4 || bytes > charsmap.size() - 4)
            throw std::invalid_argument("the map of characters of SentencePiece is not whole");
        for (std::size_t at = 4; at < 4 + bytes; at += 4) units_.push_back(word_at(charsmap, at));
        texts_ = charsmap.substr(4 + bytes);
    }
    void apply(std::u32string& text, std::u32string& space) const override {
        space.clear();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = end_of_cluster(text, at, clusters_);
            if (end == at + 1 || !append(std::u32string_view(text).substr(at, end - at), space))
                for (std::size_t k = at; k < end; ++k)
                    if (!append(std::u32string_view(text).substr(k, 1), space)) space.push_back(text[k]);
            at = end;
        }
        text.swap(space);
    }

private:
    // The numbers are little-endian whatever this machine is.
    static std::uint32_t word_at(std::string_view bytes, std::size_t at) {
        std::uint32_t word = 0;
        for (int k = 3; k >= 0; --k) word = word << 8 | static_cast<unsigned char>(bytes[at + k]);
        return word;
    }
    // Appends what the shortest beginning of the characters that is a key becomes, if there is one.
    bool append(std::u32string_view characters, std::u32string& text) const {
        std::string key;
        for (std::size_t k = 0; k < characters.size() && key.size() <= longest_cluster; ++k)
            append_utf8(characters[k], key);
        if (key.size() > longest_cluster) return false;
        const std::optional<std::size_t> start = find(key);
        if (!start) return false;
        std::u32string found;
        decode_utf8(std::string_view(texts_.c_str() + *start), found);
        text.append(found);
        return true;
    }
    std::optional<std::size_t> find(std::string_view key) const {
        std::size_t at = children(0);
        for (const char byte : key) {
            const auto label = static_cast<unsigned char>(byte);
            at ^= label;
            if (label == 0 || at >= units_.size() || (units_[at] & (1u << 31 | 255)) != label) return std::nullopt;
            const std::uint32_t unit = units_[at];
            at ^= children_of(unit);
            if (unit >> 8 & 1) {
                const std::size_t start = at < units_.size() ? units_[at] & ~(1u << 31) : texts_.size();
                return start < texts_.size() ? std::optional(start) : std::nullopt;
            }
        }
        return std::nullopt;
    }
    std::size_t children(std::size_t at) const { return at ^ children_of(units_[at]); }
    static std::size_t children_of(std::uint32_t unit) {
        return static_cast<std::size_t>(unit >> 10) << ((unit & 512) >> 6);
    }

    std::vector<std::uint32_t> units_;
    std::string texts_;  // each ends with a zero
    CharacterClasses clusters_;
};

// The letters of Hangul, and its syllables without and with a tail.
enum class Hangul { none, lead, vowel, tail, open, closed };
Hangul hangul_of(char32_t c) {
    if (c < 0x1100) return Hangul::none;
    if (c < 0x1160 || (c >= 0xa960 && c <= 0xa97c)) return Hangul::lead;
    if (c < 0x11a8 || (c >= 0xd7b0 && c <= 0xd7c6)) return Hangul::vowel;
    if (c < 0x1200 || (c >= 0xd7cb && c <= 0xd7fb)) return Hangul::tail;
    if (c < 0xac00 || c > 0xd7a3) return Hangul::none;
    return (c - 0xac00) % 28 == 0 ? Hangul::open : Hangul::closed;
}

bool are_one_syllable(char32_t before, char32_t after) {
    switch (hangul_of(before)) {
        case Hangul::lead: {
            const Hangul next = hangul_of(after);
            return next != Hangul::none && next != Hangul::tail;
        }
        case Hangul::open:
        case Hangul::vowel: return hangul_of(after) == Hangul::vowel || hangul_of(after) == Hangul::tail;
        case Hangul::closed:
        case Hangul::tail: return hangul_of(after) == Hangul::tail;
        default: return false;
    }
}

}  // namespace

std::size_t end_of_cluster(std::u32string_view text, std::size_t at, const CharacterClasses& clusters) {
    const auto class_at = [&](std::size_t k) { return static_cast<ClusterClass>(clusters.of(text[k])); };
    bool after_picture = false;                          // a picture and nothing but marks since
    bool after_consonant = false, after_linker = false;  // the same of a consonant, and whether one was a linker
    for (std::size_t k = at;; ++k) {
        const ClusterClass own = class_at(k);
        const bool is_mark = own == ClusterClass::mark || own == ClusterClass::linker || own == ClusterClass::joiner;
        after_picture = own == ClusterClass::picture || (after_picture && is_mark);
        after_linker = after_consonant && is_mark && (after_linker || own == ClusterClass::linker);
        after_consonant = own == ClusterClass::consonant || (after_consonant && is_mark);
        if (k + 1 == text.size()) return text.size();
        if (text[k] == '\r' && text[k + 1] == '\n') continue;
        const ClusterClass next = class_at(k + 1);
        if (own == ClusterClass::control || next == ClusterClass::control) return k + 1;
        const bool goes_on =
            next == ClusterClass::mark || next == ClusterClass::spacing || next == ClusterClass::linker ||
            next == ClusterClass::joiner || own == ClusterClass::prefix ||
            (next == ClusterClass::picture && own == ClusterClass::joiner && after_picture) ||
            (next == ClusterClass::consonant && after_linker) || are_one_syllable(text[k], text[k + 1]);
        if (!goes_on) return k + 1;
    }
}

std::unique_ptr<NormalizingStep> make_charsmap(std::string_view charsmap, CharacterClasses clusters) {
    for (char32_t c = 0; c < end_of_unicode; ++c)
        if (clusters.of(c) >= static_cast<int>(ClusterClass::count))
            throw std::invalid_argument("there is no such class of clusters");
    return std::make_unique<CharsmapStep>(charsmap, std::move(clusters));
}

}  // namespace arbora::encoders
