// Sentences to be tagged, or to learn from, with the atoms of all their words.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "tagging/given.hpp"
#include "tagging/words.hpp"

namespace arbora {

class TagText {
public:
    void add_sentence(std::span<const std::string_view> forms);

    std::size_t sentences() const { return sentences_.size(); }
    std::size_t words() const { return starts_.back(); }
    // Where a sentence begins, if the words of all are counted from 0.
    std::size_t start(std::size_t sentence) const { return starts_[sentence]; }
    const Words& sentence(std::size_t which) const { return sentences_[which]; }
    Words& sentence(std::size_t which) { return sentences_[which]; }
    // The form of a word, counted over all sentences.
    std::string_view form(std::size_t word) const {
        return std::string_view(forms_).substr(form_starts_[word], form_starts_[word + 1] - form_starts_[word]);
    }
    std::vector<std::string_view> forms(std::size_t sentence) const;
    // UPOS, XPOS and FEATS that all words have already, or `_`.
    void set_given(std::vector<std::array<std::string, 3>> given) { given_ = std::move(given); }
    // Those of a sentence; none if nobody set any.
    std::vector<GivenTags> given(std::size_t sentence) const;
    // The same for the same words only.
    std::uint64_t checksum() const;

private:
    std::vector<Words> sentences_;
    std::vector<std::size_t> starts_{0}, form_starts_{0};
    std::string forms_;
    std::vector<std::array<std::string, 3>> given_;
};

}  // namespace arbora
