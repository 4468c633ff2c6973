// A sentence's words as the atoms that templates of taggers look at.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "linear/word_atoms.hpp"

namespace arbora {

// The words of one sentence, and `reach` places before and after it that templates may look at too. They have the atoms
// of their forms; others are set by those who find them.
class Words {
public:
    static constexpr int reach = 4;

    void set(std::span<const std::string_view> forms);

    int count() const { return static_cast<int>(atoms_.size() / atom_count) - 2 * reach; }
    // The atoms of a word, from -reach to count() + reach - 1, a row of the inventory.
    const std::uint64_t* row(int word) const { return atoms_.data() + (word + reach) * atom_count; }
    std::uint64_t atom(int word, Atom which) const { return row(word)[static_cast<int>(which)]; }
    void set_atom(int word, Atom which, std::uint64_t value) {
        atoms_[static_cast<std::size_t>(word + reach) * atom_count + static_cast<std::size_t>(which)] = value;
    }

private:
    std::vector<std::uint64_t> atoms_;
};

// Atoms of a word and its neighbours, joined to one hash.
struct WordTemplate {
    struct Reference {
        int offset;
        Atom atom;
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
