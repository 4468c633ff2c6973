#include "encoders/subword_trie.hpp"

#include <stdexcept>
#include <string>

#include "support/letters.hpp"

namespace arbora::encoders {

SubwordTrie::SubwordTrie(std::string_view blob, std::span<const std::int32_t> ends) : SubwordTrie() {
    if (ends.empty() || ends.size() > 0x7fffffff || ends.back() != static_cast<std::int64_t>(blob.size()))
        throw std::invalid_argument("the vocabulary is not whole");
    std::u32string text;
    std::int32_t start = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
        if (ends[k] < start || ends[k] > ends.back()) throw std::invalid_argument("the vocabulary is not in order");
        decode_utf8(blob.substr(start, ends[k] - start), text);
        if (!text.empty()) add(text, static_cast<int>(k));
        start = ends[k];
    }
}

void SubwordTrie::add(std::u32string_view text, int number) {
    int node = root;
    Slot* last = nullptr;
    for (const char32_t c : text) {
        if (2 * static_cast<std::size_t>(nodes_) >= slots_.size()) grow();
        last = &slot(key_of(node, c));
        if (last->key == 0) *last = {key_of(node, c), {nodes_++, -1}};
        node = last->found.node;
    }
    if (last) last->found.number = number;
}

SubwordTrie::Slot& SubwordTrie::slot(std::uint64_t key) {
    std::size_t at = place(key);
    while (slots_[at].key != key && slots_[at].key != 0) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
}

void SubwordTrie::grow() {
    const std::vector<Slot> before = std::move(slots_);
    slots_ = std::vector<Slot>(before.size() * 2);
    --shift_;
    for (const Slot& old : before)
        if (old.key != 0) slot(old.key) = old;
}

}  // namespace arbora::encoders
