// How a piece of text is cut into sub-words of a vocabulary: three ways to choose among all the cuts there are.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/subword_trie.hpp"

namespace arbora::encoders {

class SubwordModel {
public:
    virtual ~SubwordModel() = default;
    // Appends the numbers of the sub-words of a piece that is not empty.
    virtual void cut(std::u32string_view piece, std::vector<int>& ids) const = 0;
    // How many there are; all numbers are below.
    virtual std::size_t size() const = 0;
};

// The texts of a vocabulary are parts of a blob of UTF-8 that end at `ends`.
struct Vocabulary {
    std::string_view blob;
    std::span<const std::int32_t> ends;
};

// All factories throw std::invalid_argument if what they are given is not whole.

// From left to right, always the longest one there is; those within a word begin with `prefix` in the vocabulary. A word
// that cannot be cut so, or is longer than so many characters, is `unknown` (WordPiece).
std::unique_ptr<SubwordModel> make_wordpiece(const Vocabulary& vocabulary, int unknown, std::u32string_view prefix,
                                             int longest);

struct BytePairOptions {
    int unknown = -1;                // -1: characters that are not in the vocabulary are dropped
    bool fuse_unknown = false;       // those beside each other are one
    bool byte_fallback = false;      // they are bytes, <0x00> to <0xFF>, if the vocabulary has them
    bool whole_words_first = false;  // a piece that is in the vocabulary is not cut
};
// Characters, of which two neighbours are joined again and again, those that come first in the list of (left, right,
// both) first (byte-pair encoding).
std::unique_ptr<SubwordModel> make_byte_pairs(const Vocabulary& vocabulary, std::span<const std::int32_t> merges,
                                              const BytePairOptions& options);

// The cut with the largest sum of scores; a character that is none scores 10 less than the least (SentencePiece's
// unigram model).
std::unique_ptr<SubwordModel> make_unigram(const Vocabulary& vocabulary, std::span<const double> scores, int unknown,
                                           bool byte_fallback);

// The numbers of <0x00> to <0xFF>, for characters that are not in a vocabulary.
class ByteWords {
public:
    explicit ByteWords(const SubwordTrie& trie);
    // Appends those of a text's bytes if all of them are there.
    bool append(std::u32string_view text, std::vector<int>& ids) const;

private:
    std::vector<int> numbers_;
};

}  // namespace arbora::encoders
