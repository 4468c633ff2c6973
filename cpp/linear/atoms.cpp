#include "linear/atoms.hpp"

#include <bit>

namespace arbora {

void Encoded::add_word(const WordColumns& columns) {
    thread_local WordView word;
    word.set(columns);
    const std::size_t at = atoms_.size();
    atoms_.resize(at + atom_count, 0);
    fill_atoms(word, wanted_, atoms_.data() + at);
    if (wanted_ & bit_of(atoms::feat)) add_feats(columns.feats);
    feat_starts_.push_back(feats_.size());
    tag_starts_.push_back(tags_.size());
    facts_.push_back(facts_of(word));
    ++starts_.back();
}

void Encoded::add_feats(std::string_view feats) {
    if (!is_known(feats)) return;
    while (true) {
        const std::size_t bar = feats.find('|');
        feats_.push_back(atom_value(atoms::feat, hash_text(feats.substr(0, bar), 0)));
        if (bar == std::string_view::npos) return;
        feats.remove_prefix(bar + 1);
    }
}

void Encoded::add_tag(WordTag tag) {
    tags_.push_back(tag);
    ++tag_starts_.back();
}

void Encoded::set_tags(std::vector<std::size_t> starts, std::vector<WordTag> tags) {
    tag_starts_ = std::move(starts);
    tags_ = std::move(tags);
}

void Encoded::clear() {
    starts_.resize(1);
    feat_starts_.resize(1);
    tag_starts_.resize(1);
    tags_.clear();
    atoms_.clear();
    feats_.clear();
    facts_.clear();
}

Encoded Encoded::first(std::size_t sentences) const {
    Encoded result = *this;
    const std::size_t words = starts_[sentences];
    result.starts_.resize(sentences + 1);
    result.feat_starts_.resize(words + 1);
    result.tag_starts_.resize(words + 1);
    result.tags_.resize(result.tag_starts_.back());
    result.atoms_.resize(words * atom_count);
    result.feats_.resize(result.feat_starts_.back());
    result.facts_.resize(words);
    return result;
}

Encoded Encoded::excerpt(std::size_t sentence, std::span<const int> words) const {
    Encoded result;
    result.wanted_ = wanted_;
    result.begin_sentence();
    for (int each : words) {
        const std::size_t word = starts_[sentence] + each - 1;
        const auto row = atoms_.begin() + static_cast<std::ptrdiff_t>(word * atom_count);
        result.atoms_.insert(result.atoms_.end(), row, row + atom_count);
        result.feats_.insert(result.feats_.end(), feats_begin(word), feats_begin(word) + feat_count(word));
        result.feat_starts_.push_back(result.feats_.size());
        const std::span<const WordTag> own = tags(word);
        result.tags_.insert(result.tags_.end(), own.begin(), own.end());
        result.tag_starts_.push_back(result.tags_.size());
        result.facts_.push_back(facts_[word]);
        ++result.starts_.back();
    }
    result.end_sentence();
    return result;
}

std::uint64_t Encoded::checksum() const {
    std::uint64_t sum = 0;
    for (std::uint64_t atom : atoms_) sum = combine(sum, atom);
    for (std::uint64_t feat : feats_) sum = combine(sum, feat);
    for (std::size_t start : starts_) sum = combine(sum, start);
    if (tags_.empty()) return sum;
    for (std::size_t start : tag_starts_) sum = combine(sum, start);
    for (const WordTag& tag : tags_) sum = combine(combine(sum, tag.tag), std::bit_cast<std::uint64_t>(tag.score));
    return sum;
}

void Encoded::end_sentence() {
    const std::size_t begin = starts_[starts_.size() - 2], count = starts_.back() - begin;
    const std::span<const WordFacts> sentence(facts_.data() + begin, count);
    for (std::size_t word = 0; word < count; ++word)
        fill_sentence_atoms(sentence, word, wanted_, atoms_.data() + (begin + word) * atom_count);
}

}  // namespace arbora
