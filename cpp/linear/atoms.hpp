// Sentences ready for the templates of parsers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "linear/word_atoms.hpp"

namespace arbora {

// A tag that a word may have, by its number, with the score that it begins with.
struct WordTag {
    int tag;
    double score;
};

// Sentences as the atoms of their words, in flat arrays. Words are counted from 0 over all sentences.
class Encoded {
public:
    // No sentences; the space is kept for others.
    void clear();
    // Which atoms the words that come shall have, by default all; others are as if the words had none.
    void set_atoms(AtomSet wanted) { wanted_ = wanted; }
    void begin_sentence() { starts_.push_back(starts_.back()); }
    void add_word(const WordColumns& columns);
    // Adds to the tags that the last word may have.
    void add_tag(WordTag tag);
    // Sets those of all words: word i has tags[starts[i]] up to tags[starts[i + 1]].
    void set_tags(std::vector<std::size_t> starts, std::vector<WordTag> tags);
    // Sets the atoms that depend on the whole sentence.
    void end_sentence();

    std::size_t sentences() const { return starts_.size() - 1; }
    std::size_t words() const { return starts_.back(); }
    std::size_t start(std::size_t sentence) const { return starts_[sentence]; }
    int length(std::size_t sentence) const { return static_cast<int>(starts_[sentence + 1] - starts_[sentence]); }

    // The first sentences, as encoded ones of their own.
    Encoded first(std::size_t sentences) const;
    // Some words of a sentence (1..n, in their order), as a sentence of its own.
    Encoded excerpt(std::size_t sentence, std::span<const int> words) const;
    // The same for the same words only.
    std::uint64_t checksum() const;

    // Of the set `feat` only whether it is empty, 0.
    std::uint64_t atom(std::size_t word, Atom which) const {
        return atoms_[word * atom_count + static_cast<std::size_t>(which)];
    }
    WordClass word_class(std::size_t word) const { return facts_[word].word_class; }
    Nesting nesting(std::size_t word) const { return facts_[word].nesting; }
    // The UPOS as a number below 32, for sets of tags.
    int tag_number(std::size_t word) const { return facts_[word].tag_number; }
    const std::uint64_t* feats_begin(std::size_t word) const { return feats_.data() + feat_starts_[word]; }
    // The tags that a word may have, if a parser is to choose one; none if nothing is known of them.
    std::span<const WordTag> tags(std::size_t word) const {
        return {tags_.data() + tag_starts_[word], tags_.data() + tag_starts_[word + 1]};
    }
    int feat_count(std::size_t word) const { return static_cast<int>(feat_starts_[word + 1] - feat_starts_[word]); }

private:
    void add_feats(std::string_view feats);

    AtomSet wanted_ = ~AtomSet{0};
    std::vector<std::size_t> starts_{0}, feat_starts_{0}, tag_starts_{0};
    std::vector<std::uint64_t> atoms_;  // a row of the inventory for each word
    std::vector<std::uint64_t> feats_;
    std::vector<WordFacts> facts_;
    std::vector<WordTag> tags_;
};

}  // namespace arbora
