// One word as its atoms are made of it.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "linear/hashing.hpp"

namespace arbora {

struct WordColumns {
    std::string_view form, lemma, upos, xpos, feats;
};

inline bool is_known(std::string_view text) { return !text.empty() && text != "_"; }

// Classes of words that are counted between a head and its modifier, by UPOS.
enum class WordClass : std::uint8_t { other, verb, mark, conjunction, adposition };

// What a mark does to the nesting of brackets and quotes.
enum class Nesting : std::uint8_t { none, opens, closes, quotes };

WordClass class_of(std::string_view upos);
Nesting nesting_of(std::string_view form);
// The UPOS as a number below 32, for sets of tags: universal ones have numbers of their own, others share what is left.
int tag_number_of(std::string_view upos);

// Hashes of what is known of a word by its own columns; 0 where the column is `_`. The letters of the form are looked at
// when the first atom asks for them.
//
// Letters are in lower case as support/letters.hpp has it. A character is a letter with the marks that follow it, so a
// letter counts once however its accents are written.
class WordView {
public:
    static constexpr int longest_prefix = 5, longest_suffix = 6;

    void set(const WordColumns& columns) {
        columns_ = columns;
        is_read_ = false;
    }
    const WordColumns& columns() const { return columns_; }

    static std::uint64_t text(std::string_view column) { return is_known(column) ? hash_text(column, 0) : 0; }
    std::uint64_t form() const { return text(columns_.form); }
    std::uint64_t lower() { return read().lower; }
    // The first or last characters in lower case; shorter words have one value.
    std::uint64_t prefix(int count) { return read().prefixes[count - 1]; }
    std::uint64_t suffix(int count) { return read().suffixes[count - 1]; }
    // X for upper case, x for other letters, d for digits, other characters as they are, marks not at all; a run of one
    // kind counts once or twice: "McDonald's" is XxXxx'x.
    std::uint64_t shape() { return read().shape; }
    // Yes or no to a few questions about its characters, and how many there are, up to 12 in steps of 3.
    std::uint64_t kind() { return read().kind; }
    // The form of punctuation, the UPOS of anything else.
    std::uint64_t mark() const {
        return text(class_of(columns_.upos) == WordClass::mark ? columns_.form : columns_.upos);
    }
    // UPOS, XPOS and FEATS as one.
    std::uint64_t morph() const;

private:
    struct Letters {
        std::uint64_t lower = 0, shape = 0, kind = 0;
        std::array<std::uint64_t, longest_prefix> prefixes{};
        std::array<std::uint64_t, longest_suffix> suffixes{};
    };

    const Letters& read() {
        if (!is_read_) read_letters();
        return letters_;
    }
    void read_letters();

    WordColumns columns_;
    bool is_read_ = false;
    Letters letters_;
};

}  // namespace arbora
