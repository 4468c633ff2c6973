#include <stdexcept>

#include "encoders/subword_models.hpp"
#include "support/letters.hpp"

namespace arbora::encoders {
namespace {

class WordPiece : public SubwordModel {
public:
    WordPiece(const Vocabulary& vocabulary, int unknown, std::u32string_view prefix, int longest)
        : trie_(vocabulary.blob, vocabulary.ends), size_(vocabulary.ends.size()), unknown_(unknown), longest_(longest) {
        if (unknown < 0 || static_cast<std::size_t>(unknown) >= size_)
            throw std::invalid_argument("there is no sub-word for what is unknown");
        if (longest < 0) throw std::invalid_argument("the longest word has less than no characters");
        within_ = trie_.find(prefix).node;
    }
    void cut(std::u32string_view piece, std::vector<int>& ids) const override {
        const std::size_t before = ids.size();
        bool is_whole = piece.size() <= longest_;
        for (std::size_t at = 0; is_whole && at < piece.size();) {
            SubwordTrie::Step step{at == 0 ? SubwordTrie::root : within_, -1};
            int found = -1;
            std::size_t end = at;
            for (std::size_t k = at; k < piece.size() && step.node >= 0; ++k) {
                step = trie_.step(step.node, piece[k]);
                if (step.number < 0) continue;
                found = step.number;
                end = k + 1;
            }
            is_whole = found >= 0;
            if (is_whole) ids.push_back(found);
            at = end;
        }
        if (is_whole) return;
        ids.resize(before);
        ids.push_back(unknown_);
    }
    std::size_t size() const override { return size_; }

private:
    SubwordTrie trie_;
    std::size_t size_;
    int unknown_, within_;  // where sub-words within a word begin in the trie; -1 if there are none
    std::size_t longest_;
};

}  // namespace

std::unique_ptr<SubwordModel> make_wordpiece(const Vocabulary& vocabulary, int unknown, std::u32string_view prefix,
                                             int longest) {
    return std::make_unique<WordPiece>(vocabulary, unknown, prefix, longest);
}

ByteWords::ByteWords(const SubwordTrie& trie) {
    for (int byte = 0; byte < 256; ++byte) {
        constexpr std::u32string_view digits = U"0123456789ABCDEF";
        numbers_.push_back(trie.find(std::u32string{'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'}).number);
    }
}

bool ByteWords::append(std::u32string_view text, std::vector<int>& ids) const {
    const std::size_t before = ids.size();
    std::string bytes;
    for (const char32_t c : text) append_utf8(c, bytes);
    for (const char byte : bytes) {
        ids.push_back(numbers_[static_cast<unsigned char>(byte)]);
        if (ids.back() >= 0) continue;
        ids.resize(before);
        return false;
    }
    return true;
}

}  // namespace arbora::encoders
