// Where a text is cut before a model of sub-words sees it: into pieces that no sub-word goes beyond.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/subword_characters.hpp"

namespace arbora::encoders {

// Pieces one after the other, none of them empty.
struct Pieces {
    std::u32string text;
    std::vector<std::size_t> ends;

    void clear() {
        text.clear();
        ends.clear();
    }
    void end_piece() {
        if (text.size() > (ends.empty() ? 0 : ends.back())) ends.push_back(text.size());
    }
    void add(std::u32string_view piece) {
        text.append(piece);
        end_piece();
    }
    std::size_t size() const { return ends.size(); }
    std::u32string_view operator[](std::size_t k) const {
        const std::size_t start = k ? ends[k - 1] : 0;
        return std::u32string_view(text).substr(start, ends[k] - start);
    }
};

// What is to be split: a word of a sentence that is known to be one, or a part of a line.
struct Place {
    bool is_word = false;
    bool is_first = false;  // whether the line, or the word, begins there
};

class SplittingStep {
public:
    virtual ~SplittingStep() = default;
    virtual void split(std::u32string_view piece, Place place, Pieces& pieces) const = 0;
};

// At white space, which is dropped.
std::unique_ptr<SplittingStep> make_space_splitting();
// At white space too, and every character of class 1 is a piece of its own (BERT).
std::unique_ptr<SplittingStep> make_word_splitting(CharacterClasses punctuation);
// Into runs of letters (class 1), of numbers (class 2), of others, and of spaces, as GPT-2 has them, one space before a run
// being part of it; or not at all, without `runs`. Then each byte becomes a letter. With `prefix`, a space is put
// before what has none; words always get one.
std::unique_ptr<SplittingStep> make_byte_splitting(CharacterClasses letters, bool prefix, bool runs);
// Spaces become `mark`, with which pieces begin, if they are to be `split`; one is put before what has none.
enum class MarkPrefix { always, first, never };
std::unique_ptr<SplittingStep> make_mark_splitting(char32_t mark, MarkPrefix prefix, bool split);

class Splitter {
public:
    void add(std::shared_ptr<const SplittingStep> step) { steps_.push_back(std::move(step)); }
    // The result is in `pieces`; `space` is memory to work in.
    void apply(std::u32string_view text, Place place, Pieces& pieces, Pieces& space) const;

private:
    std::vector<std::shared_ptr<const SplittingStep>> steps_;
};

}  // namespace arbora::encoders
