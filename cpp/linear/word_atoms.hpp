// The one inventory of what templates may ask of a word, for taggers and parsers alike: an atom of one name has one value
// everywhere.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "linear/word_view.hpp"

namespace arbora {

// What the words of a whole sentence say to each other.
struct WordFacts {
    WordClass word_class;
    Nesting nesting;
    std::uint8_t tag_number;
    bool has_tag;
    std::uint64_t
        edge;  // what it is at the edge of a phrase: an adposition or conjunction itself, other words their tag
};
WordFacts facts_of(WordView& word);

// How many words of a class there are before and after a word, up to three each.
std::uint64_t rank(std::span<const WordFacts> sentence, std::size_t word, WordClass counted);
// The nearest adposition or conjunction on one side with no verb or mark in between; else the tag of what was met.
std::uint64_t phrase_edge(std::span<const WordFacts> sentence, std::size_t word, int step);

// What an atom is found by: the form alone; several columns; the sentence; a set, of which each member counts; or a
// model, which alone can know it.
enum class AtomSource : std::uint8_t { form, columns, sentence, set, model };

struct AtomEntry {
    using OfWord = std::uint64_t (*)(WordView&);
    using OfSentence = std::uint64_t (*)(std::span<const WordFacts>, std::size_t word);

    constexpr AtomEntry(std::string_view its_name, AtomSource its_source, OfWord function = nullptr)
        : name(its_name), source(its_source), of_word(function) {}
    constexpr AtomEntry(std::string_view its_name, OfSentence function)
        : name(its_name), source(AtomSource::sentence), of_sentence(function) {}

    std::string_view name;
    AtomSource source;
    OfWord of_word = nullptr;  // 0 where the word has none
    OfSentence of_sentence = nullptr;
};

// An atom is one line here and its twin in tests/oracles/words.py. The order means nothing.
inline constexpr std::array inventory{
    AtomEntry{"form", AtomSource::form, [](WordView& word) { return word.form(); }},
    AtomEntry{"lower", AtomSource::form, [](WordView& word) { return word.lower(); }},
    AtomEntry{"prefix1", AtomSource::form, [](WordView& word) { return word.prefix(1); }},
    AtomEntry{"prefix2", AtomSource::form, [](WordView& word) { return word.prefix(2); }},
    AtomEntry{"prefix3", AtomSource::form, [](WordView& word) { return word.prefix(3); }},
    AtomEntry{"prefix4", AtomSource::form, [](WordView& word) { return word.prefix(4); }},
    AtomEntry{"prefix5", AtomSource::form, [](WordView& word) { return word.prefix(5); }},
    AtomEntry{"suffix1", AtomSource::form, [](WordView& word) { return word.suffix(1); }},
    AtomEntry{"suffix2", AtomSource::form, [](WordView& word) { return word.suffix(2); }},
    AtomEntry{"suffix3", AtomSource::form, [](WordView& word) { return word.suffix(3); }},
    AtomEntry{"suffix4", AtomSource::form, [](WordView& word) { return word.suffix(4); }},
    AtomEntry{"suffix5", AtomSource::form, [](WordView& word) { return word.suffix(5); }},
    AtomEntry{"suffix6", AtomSource::form, [](WordView& word) { return word.suffix(6); }},
    AtomEntry{"shape", AtomSource::form, [](WordView& word) { return word.shape(); }},
    AtomEntry{"kind", AtomSource::form, [](WordView& word) { return word.kind(); }},
    AtomEntry{"lemma", AtomSource::columns, [](WordView& word) { return word.text(word.columns().lemma); }},
    AtomEntry{"upos", AtomSource::columns, [](WordView& word) { return word.text(word.columns().upos); }},
    AtomEntry{"xpos", AtomSource::columns, [](WordView& word) { return word.text(word.columns().xpos); }},
    AtomEntry{"feats", AtomSource::columns, [](WordView& word) { return word.text(word.columns().feats); }},
    AtomEntry{"mark", AtomSource::columns, [](WordView& word) { return word.mark(); }},
    AtomEntry{"morph", AtomSource::columns, [](WordView& word) { return word.morph(); }},
    AtomEntry{"opener", [](std::span<const WordFacts> all, std::size_t word) { return phrase_edge(all, word, -1); }},
    AtomEntry{"closer", [](std::span<const WordFacts> all, std::size_t word) { return phrase_edge(all, word, 1); }},
    AtomEntry{"verb-rank",
              [](std::span<const WordFacts> all, std::size_t word) { return rank(all, word, WordClass::verb); }},
    AtomEntry{"mark-rank",
              [](std::span<const WordFacts> all, std::size_t word) { return rank(all, word, WordClass::mark); }},
    AtomEntry{"feat", AtomSource::set, [](WordView& word) { return word.text(word.columns().feats); }},
    AtomEntry{"known-tags", AtomSource::model},
};

// The place of an atom in the inventory, for as long as the program runs; nothing that is saved hangs on it.
enum class Atom : std::uint8_t {};
inline constexpr int atom_count = static_cast<int>(inventory.size());
constexpr const AtomEntry& entry_of(Atom atom) { return inventory[static_cast<std::size_t>(atom)]; }
// Throws std::invalid_argument if there is none.
constexpr Atom atom_named(std::string_view name) {
    for (int a = 0; a < atom_count; ++a)
        if (inventory[a].name == name) return static_cast<Atom>(a);
    throw std::invalid_argument("there is no such atom");
}
namespace atoms {
inline constexpr Atom form = atom_named("form"), lower = atom_named("lower"), upos = atom_named("upos"),
                      morph = atom_named("morph"), feat = atom_named("feat"), known_tags = atom_named("known-tags");
}

// By names, so that equal values of different atoms differ.
inline constexpr auto atom_seeds = [] {
    std::array<std::uint64_t, atom_count> seeds{};
    for (int a = 0; a < atom_count; ++a) seeds[a] = name_seed(inventory[a].name);
    return seeds;
}();
constexpr std::uint64_t seed_of(Atom atom) { return atom_seeds[static_cast<std::size_t>(atom)]; }

// Some atoms, as bits.
using AtomSet = std::uint64_t;
static_assert(atom_count <= 64);
constexpr AtomSet bit_of(Atom atom) { return AtomSet{1} << static_cast<int>(atom); }
constexpr AtomSet atoms_from(AtomSource source) {
    AtomSet result = 0;
    for (int a = 0; a < atom_count; ++a)
        if (inventory[a].source == source) result |= AtomSet{1} << a;
    return result;
}
inline constexpr AtomSet atoms_of_form = atoms_from(AtomSource::form),
                         atoms_of_word = atoms_of_form | atoms_from(AtomSource::columns) | atoms_from(AtomSource::set),
                         atoms_of_sentence = atoms_from(AtomSource::sentence);

// Atoms of what is no word: the root, what lies before and after the sentence, a relative that there is not.
inline constexpr std::uint64_t root_atom = name_seed("the root"), before_atom = name_seed("before the sentence"),
                               after_atom = name_seed("after the sentence"), none_atom = name_seed("no relative");

// An atom's value, of what was found for it: 0 if that is nothing.
constexpr std::uint64_t atom_value(Atom atom, std::uint64_t found) {
    return found ? join_hashes(seed_of(atom), found) | 1 : 0;
}
// For atoms that a model numbers.
constexpr std::uint64_t number_value(Atom atom, int number) {
    return atom_value(atom, mix_bits(static_cast<std::uint64_t>(number) + 1));
}
std::uint64_t value_of(Atom atom, WordView& word);
// Fills those of the wanted atoms that a word has by itself into its row of the whole inventory; the rest stays.
void fill_atoms(WordView& word, AtomSet wanted, std::uint64_t* row);
// The same for those that it has by the words around it.
void fill_sentence_atoms(std::span<const WordFacts> sentence, std::size_t word, AtomSet wanted, std::uint64_t* row);

}  // namespace arbora
