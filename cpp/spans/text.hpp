// Tagged sentences as the templates of span parsers see them.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tagging/words.hpp"

namespace arbora {

// What is known of some words in a row as a whole: how many there are, in steps that widen; what each of them begins
// with (upper or lower case, a digit, a mark as it is); all their tags; all of them in lower case; how many commas,
// colons and other marks there are, up to three, and whether brackets and quotes are balanced.
enum class RunAtom : std::uint8_t { length, shape, tags, words, marks };
inline constexpr std::array<std::string_view, 5> run_atom_names{"length", "shape", "tags", "words", "marks"};
inline constexpr auto run_atom_seeds = [] {
    std::array<std::uint64_t, run_atom_names.size()> seeds{};
    for (std::size_t a = 0; a < seeds.size(); ++a) seeds[a] = name_seed(run_atom_names[a]);
    return seeds;
}();

class SpanSentence {
public:
    void set(std::span<const std::string_view> forms, std::span<const std::string_view> tags);

    int count() const { return words_.count(); }
    const Words& words() const { return words_; }
    std::uint64_t tag(int word) const { return words_.atom(word, tag_atom); }
    std::uint64_t run(RunAtom atom, int start, int end) const;

    // Tags stand in the place of XPOS.
    static constexpr Atom tag_atom = atom_named("xpos");

private:
    // Hashes of everything up to a word, of which those of runs can be had by subtraction.
    struct Prefixes {
        std::vector<std::uint64_t> sums;
        void start() { sums.assign(1, 0); }
        void add(std::uint64_t value) { sums.push_back(sums.back() * base + value); }
    };
    struct Marks {
        int commas = 0, others = 0, quotes = 0, depth = 0;
    };
    static constexpr std::uint64_t base = 0x9e3779b97f4a7c15;

    Words words_;
    std::array<Prefixes, 3> prefixes_;   // of shape, tags, words
    std::vector<std::uint64_t> powers_;  // of the base
    std::vector<Marks> marks_;           // up to a word
};

// A sequence of them, and where each begins if words are counted over all.
class SpanText {
public:
    void add_sentence(std::span<const std::string_view> forms, std::span<const std::string_view> tags);

    std::size_t sentences() const { return sentences_.size(); }
    std::size_t words() const { return starts_.back(); }
    std::size_t start(std::size_t sentence) const { return starts_[sentence]; }
    const SpanSentence& sentence(std::size_t which) const { return sentences_[which]; }
    // Where the nodes of a sentence's tree begin: those of n words are 2n - 1.
    std::size_t first_node(std::size_t sentence) const { return 2 * starts_[sentence] - sentence; }
    // The same for the same words and tags only.
    std::uint64_t checksum() const;

private:
    std::vector<SpanSentence> sentences_;
    std::vector<std::size_t> starts_{0};
};

}  // namespace arbora
