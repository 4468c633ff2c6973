#include "encoders/subwords.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "support/letters.hpp"

namespace arbora::encoders {
namespace {

// Memory to work in, which grows to what the longest text needs.
struct CutSpace {
    std::u32string text, part, spare;
    Pieces pieces, spare_pieces;
};

}  // namespace

void Subwords::AddedWords::add(AddedWord word) {
    if (word.text.empty()) return;
    if (beginnings_.find(word.text[0]) == std::u32string::npos) beginnings_.push_back(word.text[0]);
    trie_.add(word.text, static_cast<int>(words_.size()));
    words_.push_back(std::move(word));
}

template <class Between>
void Subwords::AddedWords::split(std::u32string_view text, std::vector<int>& ids, const Between& between) const {
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        at = text.find_first_of(beginnings_, at);
        if (at >= text.size()) break;
        // The longest that begins there.
        SubwordTrie::Step step{SubwordTrie::root, -1};
        int found = -1;
        std::size_t end = at;
        for (std::size_t k = at; k < text.size() && step.node >= 0; ++k) {
            step = trie_.step(step.node, text[k]);
            if (step.number < 0) continue;
            found = step.number;
            end = k + 1;
        }
        if (found < 0) {
            ++at;
            continue;
        }
        const AddedWord& word = words_[found];
        std::size_t start = at;
        while (word.takes_left && start > done && is_white(text[start - 1])) --start;
        at = end;
        while (word.takes_right && end < text.size() && is_white(text[end])) ++end;
        if (start > done) between(text.substr(done, start - done), done);
        ids.push_back(word.id);
        at = std::max(at, end);
        done = end;
    }
    if (done < text.size()) between(text.substr(done), done);
}

Subwords::Subwords(Normalizer normalizer, Splitter splitter, std::shared_ptr<const SubwordModel> model,
                   std::vector<AddedWord> added, int size, int unknown)
    : normalizer_(std::move(normalizer)),
      splitter_(std::move(splitter)),
      model_(std::move(model)),
      size_(size),
      unknown_(unknown) {
    const auto is_id = [size](int id) { return id >= 0 && id < size; };
    if (size < 0 || model_->size() > static_cast<std::size_t>(size) || !is_id(unknown))
        throw std::invalid_argument("there are more sub-words than the vocabulary has");
    std::u32string space;
    for (AddedWord& word : added) {
        if (!is_id(word.id)) throw std::invalid_argument("an added sub-word is not in the vocabulary");
        if (word.is_normalized) normalizer_.apply(word.text, space);
        (word.is_normalized ? normalized_ : raw_).add(std::move(word));
    }
}

void Subwords::cut(std::string_view utf8, bool is_word, std::vector<int>& ids) const {
    thread_local CutSpace space;
    decode_utf8(utf8, space.text);
    raw_.split(space.text, ids, [&](std::u32string_view section, std::size_t start) {
        space.part.assign(section);
        normalizer_.apply(space.part, space.spare);
        normalized_.split(space.part, ids, [&](std::u32string_view part, std::size_t place) {
            splitter_.apply(part, {is_word, start + place == 0}, space.pieces, space.spare_pieces);
            for (std::size_t k = 0; k < space.pieces.size(); ++k) model_->cut(space.pieces[k], ids);
        });
    });
}

}  // namespace arbora::encoders
