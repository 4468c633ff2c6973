// A text that comes in pieces, cut into sentences and tokens as it comes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizing/boundaries.hpp"

namespace arbora::tokenizing {

struct TextToken {
    std::size_t begin, end;                         // bytes of the batch's text
    std::uint64_t first_character, last_character;  // of the whole text, the last one past its end
    float score;                                    // log-odds of a sentence's end after it
    bool ends_sentence, ends_paragraph;
};

// Sentences that follow each other. The text goes from the end of the batch before to the begin of the token after the
// last: it has all characters, spaces included.
struct TextBatch {
    std::string text;
    std::vector<TextToken> tokens;
    std::vector<std::size_t> sentence_ends;  // how many tokens there are up to each sentence's end
    std::vector<bool> new_paragraph;         // for each sentence, whether a paragraph begins with it
    std::vector<double> certainties;         // of each sentence: see Certainty
    bool is_first = false, is_last = false;  // whether the text begins with it, and whether it ends with it
};

struct TextLimits {
    std::size_t sentence_tokens, token_characters;
    bool lines = false;  // sentences end where lines do, and nowhere else
};

// What is handed out does not depend on how the text is cut into pieces. No more is held than the sentence that has not
// ended yet, the symbols that decisions need to see around them, and a piece; and no sentence is longer than the limit:
// one that would be ends at the likeliest place in the second half of what is allowed.
class TextScanner {
public:
    TextScanner(const BoundaryModel& model, TextLimits limits) : model_(model), limits_(limits) {}

    // Adds a piece, the last one if `final`; gives the sentences that are known now. Throws std::invalid_argument if it
    // is no UTF-8; `bytes` and `lines` then tell how far it was.
    TextBatch feed(std::string_view piece, bool final, int threads);
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t lines() const { return lines_; }

private:
    void append(std::string_view piece, bool final);
    void assemble(std::size_t begin, std::size_t end, TextBatch& batch);
    void close_sentence(std::size_t tokens, TextBatch& batch);
    void forget(std::size_t next_symbol, std::size_t handed_out);

    const BoundaryModel& model_;
    TextLimits limits_;
    std::string buffer_, unfinished_;  // the latter: the beginning of a character
    Symbols symbols_;
    Decisions decisions_;
    // Places in the buffer: up to where it was handed out, and up to where symbols are decided.
    std::size_t given_ = 0, decided_ = 0;
    std::uint64_t characters_before_ = 0;  // of the text, before the buffer
    std::size_t try_at_ = 1;               // the buffer's size that makes another try worth while
    std::vector<TextToken> waiting_;       // the tokens of the sentence that has not ended, in places of the buffer
    bool in_token_ = false;
    TextToken token_{};  // the one that has not ended
    std::size_t token_length_ = 0;
    bool first_ = true, paragraph_begins_ = true;
    double doubt_ = 0;                     // about the end of the sentence before
    std::uint64_t bytes_ = 0, lines_ = 0;  // read so far
};

}  // namespace arbora::tokenizing
