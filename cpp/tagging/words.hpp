// A sentence's words as the hashes that templates of taggers look at.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "linear/hashing.hpp"

namespace arbora {

// What templates may ask of a word; the names are those of template files. Prefixes and suffixes are characters of the
// form in lower case, 0 where the word is shorter. `tags` is what training has seen the form as; `upos` and `morph`
// are found by earlier layers.
enum class WordAtom : std::uint8_t {
    form,
    lower,
    prefix1,
    prefix2,
    prefix3,
    prefix4,
    prefix5,
    suffix1,
    suffix2,
    suffix3,
    suffix4,
    suffix5,
    suffix6,
    shape,
    kind,
    tags,
    upos,
    morph,
};
inline constexpr int word_atoms = 18;
inline constexpr std::array<const char*, word_atoms> word_atom_names{
    "form",    "lower",   "prefix1", "prefix2", "prefix3", "prefix4", "prefix5", "suffix1", "suffix2",
    "suffix3", "suffix4", "suffix5", "suffix6", "shape",   "kind",    "tags",    "upos",    "morph"};
inline constexpr int longest_prefix = 5, longest_suffix = 6;

// The words of one sentence, and `reach` places before and after it that templates may look at too.
class Words {
public:
    static constexpr int reach = 4;

    void set(std::span<const std::string_view> forms);

    int count() const { return static_cast<int>(atoms_.size() / word_atoms) - 2 * reach; }
    // The atoms of a word, from -reach to count() + reach - 1.
    const std::uint64_t* row(int word) const { return atoms_.data() + (word + reach) * word_atoms; }
    std::uint64_t atom(int word, WordAtom which) const { return row(word)[static_cast<int>(which)]; }
    void set_atom(int word, WordAtom which, std::uint64_t value) {
        atoms_[static_cast<std::size_t>(word + reach) * word_atoms + static_cast<std::size_t>(which)] = value;
    }
    // For atoms whose value is a number.
    void set_number(int word, WordAtom which, int number) {
        set_atom(word, which, mix_bits(static_cast<std::uint64_t>(number) + 1));
    }

private:
    std::vector<std::uint64_t> atoms_;
};

// Atoms of a word and its neighbours, joined to one hash.
struct WordTemplate {
    struct Reference {
        int offset;
        WordAtom atom;
    };

    WordTemplate(std::uint64_t its_seed, const std::vector<Reference>& references);

    std::uint64_t hash(const Words& words, int word) const {
        const std::uint64_t* row = words.row(word);
        std::uint64_t value = seed;
        for (int place : places) value = join_hashes(value, row[place]);
        return value;
    }

    std::uint64_t seed;
    std::vector<int> places;  // in the row of the word
};

}  // namespace arbora
