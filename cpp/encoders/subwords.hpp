// Text as an encoder reads it: in sub-words, as the tokenizer of its folder cuts it. It equals the `tokenizers` library.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/subword_models.hpp"
#include "encoders/subword_normalizing.hpp"
#include "encoders/subword_splitting.hpp"

namespace arbora::encoders {

// A text that is one sub-word wherever it stands, such as [MASK].
struct AddedWord {
    std::u32string text;
    int id;
    bool takes_left, takes_right;  // the white space beside it
    bool is_normalized;            // looked for after normalising, and normalised itself
};

// Never changes, and serves all threads.
class Subwords {
public:
    // All ids are below `size`; `unknown` is that of a word that nothing is left of. std::invalid_argument if some
    // are not.
    Subwords(Normalizer normalizer, Splitter splitter, std::shared_ptr<const SubwordModel> model,
             std::vector<AddedWord> added, int size, int unknown);

    int size() const { return size_; }

    // Appends the ids of a line as it stands: none, if nothing is left of it.
    void cut_line(std::string_view utf8, std::vector<int>& ids) const { cut(utf8, false, ids); }
    // Appends the ids of a word of a sentence, at least one.
    void cut_word(std::string_view utf8, std::vector<int>& ids) const {
        const std::size_t before = ids.size();
        cut(utf8, true, ids);
        if (ids.size() == before) ids.push_back(unknown_);
    }

private:
    // Added words of one kind.
    class AddedWords {
    public:
        void add(AddedWord word);
        // Calls `between` with what is between added words and where it begins, and appends the ids of those.
        template <class Between>
        void split(std::u32string_view text, std::vector<int>& ids, const Between& between) const;

    private:
        std::vector<AddedWord> words_;
        SubwordTrie trie_;
        std::u32string beginnings_;  // first characters, of which there are few
    };

    void cut(std::string_view utf8, bool is_word, std::vector<int>& ids) const;

    Normalizer normalizer_;
    Splitter splitter_;
    std::shared_ptr<const SubwordModel> model_;
    AddedWords raw_, normalized_;
    int size_, unknown_;
};

}  // namespace arbora::encoders
