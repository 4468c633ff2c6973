#include "encoders/subword_splitting.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "support/letters.hpp"

namespace arbora::encoders {
namespace {

class SpaceSplitting : public SplittingStep {
public:
    void split(std::u32string_view piece, Place, Pieces& pieces) const override {
        for (const char32_t c : piece) is_white(c) ? pieces.end_piece() : pieces.text.push_back(c);
        pieces.end_piece();
    }
};

class WordSplitting : public SplittingStep {
public:
    explicit WordSplitting(CharacterClasses punctuation) : punctuation_(std::move(punctuation)) {}
    void split(std::u32string_view piece, Place, Pieces& pieces) const override {
        for (const char32_t c : piece) {
            const bool is_punctuation = punctuation_.of(c) == 1;
            if (is_punctuation || is_white(c)) pieces.end_piece();
            if (is_punctuation) pieces.add(std::u32string_view(&c, 1));
            if (!is_punctuation && !is_white(c)) pieces.text.push_back(c);
        }
        pieces.end_piece();
    }

private:
    CharacterClasses punctuation_;
};

// Bytes as letters: those that are printable in Latin-1 are themselves, the others come after U+00FF.
std::array<char32_t, 256> letters_of_bytes() {
    std::array<char32_t, 256> result{};
    char32_t next = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
        const bool is_printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
        result[byte] = is_printable ? byte : next++;
    }
    return result;
}

class ByteSplitting : public SplittingStep {
public:
    ByteSplitting(CharacterClasses letters, bool prefix, bool runs)
        : letters_(std::move(letters)), prefix_(prefix), runs_(runs) {}
    void split(std::u32string_view piece, Place place, Pieces& pieces) const override {
        if (piece.empty()) return;
        std::u32string with_space;
        if ((prefix_ || place.is_word) && piece[0] != ' ') {
            with_space.reserve(piece.size() + 1);
            with_space.push_back(' ');
            piece = with_space.append(piece);
        }
        for (std::size_t at = 0; at < piece.size();) {
            const std::size_t end = runs_ ? end_of_run(piece, at) : piece.size();
            for (std::size_t k = at; k < end; ++k) add_bytes(piece[k], pieces.text);
            pieces.end_piece();
            at = end;
        }
    }

private:
    enum class Kind { letter = 1, number = 2, other, space };
    Kind kind_of(char32_t c) const {
        if (is_white(c)) return Kind::space;
        const int found = letters_.of(c);
        return found == 1 ? Kind::letter : found == 2 ? Kind::number : Kind::other;
    }
    static void add_bytes(char32_t c, std::u32string& text) {
        static const std::array<char32_t, 256> letters = letters_of_bytes();
        std::string bytes;
        append_utf8(c, bytes);
        for (const char byte : bytes) text.push_back(letters[static_cast<unsigned char>(byte)]);
    }
    // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
    std::size_t end_of_run(std::u32string_view text, std::size_t at) const {
        if (text[at] == '\'') {
            for (const std::u32string_view ending : {U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"})
                if (text.substr(at, ending.size()) == ending) return at + ending.size();
        }
        std::size_t end = at + (text[at] == ' ');
        const Kind kind = end < text.size() ? kind_of(text[end]) : Kind::space;
        while (end < text.size() && kind_of(text[end]) == kind) ++end;
        // The last of several spaces belongs to what follows, or stands alone.
        const bool leaves_one = kind == Kind::space && end < text.size() && end > at + 1;
        return leaves_one ? end - 1 : end;
    }

    CharacterClasses letters_;
    bool prefix_, runs_;
};

class MarkSplitting : public SplittingStep {
public:
    MarkSplitting(char32_t mark, MarkPrefix prefix, bool split) : mark_(mark), prefix_(prefix), split_(split) {}
    void split(std::u32string_view piece, Place place, Pieces& pieces) const override {
        if (piece.empty()) return;
        const bool wants_prefix = prefix_ == MarkPrefix::always || (prefix_ == MarkPrefix::first && place.is_first);
        if (wants_prefix && piece[0] != ' ' && piece[0] != mark_) pieces.text.push_back(mark_);
        for (std::size_t k = 0; k < piece.size(); ++k) {
            const char32_t c = piece[k] == ' ' ? mark_ : piece[k];
            if (split_ && c == mark_) pieces.end_piece();
            pieces.text.push_back(c);
        }
        pieces.end_piece();
    }

private:
    char32_t mark_;
    MarkPrefix prefix_;
    bool split_;
};

}  // namespace

std::unique_ptr<SplittingStep> make_space_splitting() { return std::make_unique<SpaceSplitting>(); }
std::unique_ptr<SplittingStep> make_word_splitting(CharacterClasses punctuation) {
    return std::make_unique<WordSplitting>(std::move(punctuation));
}
std::unique_ptr<SplittingStep> make_byte_splitting(CharacterClasses letters, bool prefix, bool runs) {
    return std::make_unique<ByteSplitting>(std::move(letters), prefix, runs);
}
std::unique_ptr<SplittingStep> make_mark_splitting(char32_t mark, MarkPrefix prefix, bool split) {
    return std::make_unique<MarkSplitting>(mark, prefix, split);
}

void Splitter::apply(std::u32string_view text, Place place, Pieces& pieces, Pieces& space) const {
    pieces.clear();
    if (steps_.empty()) return pieces.add(text);
    steps_[0]->split(text, place, pieces);
    for (std::size_t k = 1; k < steps_.size(); ++k) {
        space.clear();
        for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
            // Where white space was dropped, what comes after it does not begin the text.
            const bool is_first = place.is_first && piece == 0 && !is_white(text[0]);
            steps_[k]->split(pieces[piece], {place.is_word, is_first}, space);
        }
        std::swap(pieces, space);
    }
}

}  // namespace arbora::encoders
