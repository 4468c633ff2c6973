#include "linear/word_atoms.hpp"

#include <algorithm>
#include <bit>

namespace arbora {
namespace {

// body(atom) for every atom of a set.
template <class Body>
void for_atoms(AtomSet atoms, Body body) {
    for (; atoms; atoms &= atoms - 1) body(static_cast<Atom>(std::countr_zero(atoms)));
}

}  // namespace

WordFacts facts_of(WordView& word) {
    const WordColumns& columns = word.columns();
    const WordClass word_class = class_of(columns.upos);
    const bool function = word_class == WordClass::adposition || word_class == WordClass::conjunction;
    return {word_class, nesting_of(columns.form), static_cast<std::uint8_t>(tag_number_of(columns.upos)),
            is_known(columns.upos), function ? word.lower() : word.text(columns.upos)};
}

std::uint64_t rank(std::span<const WordFacts> sentence, std::size_t word, WordClass counted) {
    if (!sentence[word].has_tag) return 0;
    const auto is_counted = [counted](const WordFacts& facts) { return facts.word_class == counted; };
    const auto here = sentence.begin() + static_cast<std::ptrdiff_t>(word);
    const auto before = std::count_if(sentence.begin(), here, is_counted),
               after = std::count_if(here + 1, sentence.end(), is_counted);
    return mix_bits(
        static_cast<std::uint64_t>(std::min<std::ptrdiff_t>(before, 3) * 4 + std::min<std::ptrdiff_t>(after, 3) + 1));
}

std::uint64_t phrase_edge(std::span<const WordFacts> sentence, std::size_t word, int step) {
    if (!sentence[word].has_tag) return 0;
    for (std::size_t at = word + step; at < sentence.size(); at += step)
        if (sentence[at].word_class != WordClass::other) return combine(1, sentence[at].edge);
    return combine(1, 0);
}

std::uint64_t value_of(Atom atom, WordView& word) { return atom_value(atom, entry_of(atom).of_word(word)); }

void fill_atoms(WordView& word, AtomSet wanted, std::uint64_t* row) {
    for_atoms(wanted & atoms_of_word, [&](Atom atom) { row[static_cast<int>(atom)] = value_of(atom, word); });
}

void fill_sentence_atoms(std::span<const WordFacts> sentence, std::size_t word, AtomSet wanted, std::uint64_t* row) {
    for_atoms(wanted & atoms_of_sentence, [&](Atom atom) {
        row[static_cast<int>(atom)] = atom_value(atom, entry_of(atom).of_sentence(sentence, word));
    });
}

}  // namespace arbora
