#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace arbora {

// What is known of one word before any template: 64-bit hashes of its columns and of parts of them, 0 where the
// column is `_`. The names are those of template files, in the order of `atom_names`.
enum class Atom : std::uint8_t {
    form,
    lower,
    lemma,
    upos,
    xpos,
    mark,
    feats,
    prefix1,
    prefix2,
    prefix3,
    suffix1,
    suffix2,
    suffix3,
    suffix4,
    shape,
    opener,
    closer,
    verb_rank,
    mark_rank,
    feat,  // a set: one value for each `Name=Value`; always last
};
inline constexpr int single_atoms = static_cast<int>(Atom::feat);
inline constexpr std::array<const char*, single_atoms + 1> atom_names{
    "form",    "lower",   "lemma",   "upos",    "xpos",  "mark",   "feats",  "prefix1",   "prefix2",   "prefix3",
    "suffix1", "suffix2", "suffix3", "suffix4", "shape", "opener", "closer", "verb-rank", "mark-rank", "feat"};

// Classes of words that are counted between a head and its modifier, by UPOS.
enum class WordClass : std::uint8_t { other, verb, mark, conjunction, adposition };

// What a mark does to the nesting of brackets and quotes.
enum class Nesting : std::uint8_t { none, opens, closes, quotes };

struct WordColumns {
    std::string_view form, lemma, upos, xpos, feats;
};

// A tag that a word may have, by its number, with the score that it begins with.
struct WordTag {
    int tag;
    double score;
};

// Sentences as hashes, in flat arrays. Words are counted from 0 over all sentences.
class Encoded {
public:
    // No sentences; the space is kept for others.
    void clear();
    void begin_sentence() { starts_.push_back(starts_.back()); }
    void add_word(const WordColumns& columns);
    // Adds to the tags that the last word may have.
    void add_tag(WordTag tag);
    // Sets those of all words: word i has tags[starts[i]] up to tags[starts[i + 1]].
    void set_tags(std::vector<std::size_t> starts, std::vector<WordTag> tags);
    // Sets the atoms that depend on the whole sentence: the function word that opens or closes a word's phrase, and
    // how many verbs and marks there are before and after it.
    void end_sentence();

    std::size_t sentences() const { return starts_.size() - 1; }
    std::size_t words() const { return starts_.back(); }
    std::size_t start(std::size_t sentence) const { return starts_[sentence]; }
    int length(std::size_t sentence) const { return static_cast<int>(starts_[sentence + 1] - starts_[sentence]); }

    // The first sentences, as encoded ones of their own.
    Encoded first(std::size_t sentences) const;
    // The same for the same words only.
    std::uint64_t checksum() const;

    std::uint64_t atom(std::size_t word, Atom which) const {
        return atoms_[word * single_atoms + static_cast<std::size_t>(which)];
    }
    WordClass word_class(std::size_t word) const { return classes_[word]; }
    Nesting nesting(std::size_t word) const { return nestings_[word]; }
    // The UPOS as a number below 32, for sets of tags.
    int tag_number(std::size_t word) const { return tag_numbers_[word]; }
    const std::uint64_t* feats_begin(std::size_t word) const { return feats_.data() + feat_starts_[word]; }
    // The tags that a word may have, if a parser is to choose one; none if nothing is known of them.
    std::span<const WordTag> tags(std::size_t word) const {
        return {tags_.data() + tag_starts_[word], tags_.data() + tag_starts_[word + 1]};
    }
    int feat_count(std::size_t word) const { return static_cast<int>(feat_starts_[word + 1] - feat_starts_[word]); }

private:
    std::uint64_t& place(std::size_t word, Atom which) {
        return atoms_[word * single_atoms + static_cast<std::size_t>(which)];
    }
    void set_ranks(Atom atom, WordClass counted, std::size_t begin, std::size_t end);
    std::uint64_t phrase_edge(std::size_t word, std::size_t begin, std::size_t end, int step) const;

    std::vector<std::size_t> starts_{0}, feat_starts_{0}, tag_starts_{0};
    std::vector<std::uint64_t> atoms_, feats_;
    std::vector<WordClass> classes_;
    std::vector<Nesting> nestings_;
    std::vector<std::uint8_t> tag_numbers_;
    std::vector<WordTag> tags_;
};

}  // namespace arbora
