// What is done to a text before it is cut: steps one after the other, each a change of characters.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/subword_characters.hpp"

namespace arbora::encoders {

class NormalizingStep {
public:
    virtual ~NormalizingStep() = default;
    // `space` is memory to work in, and comes back with anything.
    virtual void apply(std::u32string& text, std::u32string& space) const = 0;
    // Whether each ASCII character becomes the same whatever ASCII characters stand beside it.
    virtual bool is_plain() const { return false; }
};

// The factories throw std::invalid_argument if what they are given is not whole.

// Each character becomes what the map says.
std::unique_ptr<NormalizingStep> make_map(CharacterMap map);
// Decomposition as Unicode has it, of the characters in the map and of Hangul, and combining marks in the order of their
// classes (NFD, NFKD).
std::unique_ptr<NormalizingStep> make_decomposition(CharacterMap map, CharacterClasses combining);
// Composition as Unicode has it (what makes NFC of NFD), of Hangul and the triples (first, second, both).
std::unique_ptr<NormalizingStep> make_composition(std::span<const std::int32_t> triples, CharacterClasses combining);
// A map of SentencePiece, `precompiled_charsmap`, applied to clusters as the `tokenizers` library does; `clusters` has a
// `ClusterClass` for every character.
std::unique_ptr<NormalizingStep> make_charsmap(std::string_view charsmap, CharacterClasses clusters);
// Whatever is `found` becomes `other`, from left to right; with `runs`, two or more of its one character in a row.
std::unique_ptr<NormalizingStep> make_replacement(std::u32string found, std::u32string other, bool runs);
std::unique_ptr<NormalizingStep> make_strip(bool left, bool right);
// Before a text that is not empty.
std::unique_ptr<NormalizingStep> make_prefix(std::u32string prefix);

// What characters are to the boundaries of clusters (UAX 29); Hangul is known by its numbers.
enum class ClusterClass : std::uint8_t {
    other,
    control,
    mark,       // belongs to what is before it
    spacing,    // so does this, but no conjunct of consonants goes on over it
    prefix,     // belongs to what comes after it
    picture,    // two of these joined by a joiner are one
    consonant,  // two of these joined by a linker are one
    linker,
    joiner,
    count
};
// The end of the cluster that begins at `at`.
std::size_t end_of_cluster(std::u32string_view text, std::size_t at, const CharacterClasses& clusters);

class Normalizer {
public:
    void add(std::shared_ptr<const NormalizingStep> step);
    void apply(std::u32string& text, std::u32string& space) const;

private:
    void learn_ascii();

    std::vector<std::shared_ptr<const NormalizingStep>> steps_;
    // What ASCII characters become, if that can be said of each alone: one character, or none.
    static constexpr char32_t nothing = 0xffffffff;
    bool knows_ascii_ = true;
    std::vector<char32_t> ascii_;
};

}  // namespace arbora::encoders
