#include "linear/atoms.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "linear/hashing.hpp"

namespace arbora {
namespace {

bool is_known(std::string_view text) { return !text.empty() && text != "_"; }

std::uint64_t seed_of(Atom atom) { return static_cast<std::uint64_t>(atom) + 1; }

std::uint64_t hash_of(std::string_view text, Atom atom) { return is_known(text) ? hash_text(text, seed_of(atom)) : 0; }

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// The first `count` characters of UTF-8 text, or all of it.
std::string_view first_characters(std::string_view text, int count) {
    std::size_t at = 0;
    while (at < text.size() && count-- > 0) {
        ++at;
        while (at < text.size() && continues_character(text[at])) ++at;
    }
    return text.substr(0, at);
}

std::string_view last_characters(std::string_view text, int count) {
    std::size_t at = text.size();
    while (at > 0 && count-- > 0) {
        --at;
        while (at > 0 && continues_character(text[at])) --at;
    }
    return text.substr(at);
}

bool is_between(char c, char first, char last) { return c >= first && c <= last; }

// ASCII letters in lower case; other letters as they are.
void to_lower(std::string_view form, std::string& lower) {
    lower.assign(form);
    for (char& c : lower)
        if (is_between(c, 'A', 'Z')) c = static_cast<char>(c + ('a' - 'A'));
}

// Upper case as X, lower case and all letters beyond ASCII as x, digits as d, the rest as it is; a run of one kind
// counts once or twice: "McDonald's" is XxXxx'x.
void to_shape(std::string_view form, std::string& shape) {
    shape.clear();
    for (char c : form) {
        if (continues_character(c)) continue;
        const char kind = is_between(c, 'A', 'Z')                                            ? 'X'
                          : is_between(c, 'a', 'z') || static_cast<unsigned char>(c) >= 0x80 ? 'x'
                          : is_between(c, '0', '9')                                          ? 'd'
                                                                                             : c;
        const std::size_t size = shape.size();
        if (size < 2 || shape[size - 1] != kind || shape[size - 2] != kind) shape.push_back(kind);
    }
}

constexpr std::array<std::string_view, 17> universal_tags{"ADJ",   "ADP",   "ADV", "AUX",  "CCONJ", "DET",
                                                          "INTJ",  "NOUN",  "NUM", "PART", "PRON",  "PROPN",
                                                          "PUNCT", "SCONJ", "SYM", "VERB", "X"};

int tag_number_of(std::string_view upos, std::uint64_t hash) {
    const auto found = std::find(universal_tags.begin(), universal_tags.end(), upos);
    if (found != universal_tags.end()) return static_cast<int>(found - universal_tags.begin());
    return 17 + static_cast<int>(hash % 15);  // tags of other inventories share what is left of 32
}

WordClass class_of(std::string_view upos) {
    if (upos == "VERB" || upos == "AUX") return WordClass::verb;
    if (upos == "PUNCT") return WordClass::mark;
    if (upos == "CCONJ" || upos == "SCONJ") return WordClass::conjunction;
    if (upos == "ADP") return WordClass::adposition;
    return WordClass::other;
}

Nesting nesting_of(std::string_view form) {
    for (std::string_view opener : {"(", "[", "{", "-LRB-", "-LSB-"})
        if (form == opener) return Nesting::opens;
    for (std::string_view closer : {")", "]", "}", "-RRB-", "-RSB-"})
        if (form == closer) return Nesting::closes;
    for (std::string_view quote : {"\"", "''", "``", "\u201c", "\u201d", "\u00ab", "\u00bb"})
        if (form == quote) return Nesting::quotes;
    return Nesting::none;
}

}  // namespace

void Encoded::add_word(const WordColumns& columns) {
    thread_local std::string lower, shape;
    const std::size_t at = atoms_.size();
    atoms_.resize(at + single_atoms);
    auto set = [&](Atom atom, std::string_view text) {
        atoms_[at + static_cast<std::size_t>(atom)] = hash_of(text, atom);
    };
    set(Atom::form, columns.form);
    set(Atom::lemma, columns.lemma);
    set(Atom::upos, columns.upos);
    set(Atom::xpos, columns.xpos);
    set(Atom::feats, columns.feats);
    const WordClass word_class = class_of(columns.upos);
    set(Atom::mark, word_class == WordClass::mark ? columns.form : columns.upos);
    if (is_known(columns.form)) {
        to_lower(columns.form, lower);
        to_shape(columns.form, shape);
        set(Atom::lower, lower);
        set(Atom::prefix1, first_characters(lower, 1));
        set(Atom::prefix2, first_characters(lower, 2));
        set(Atom::prefix3, first_characters(lower, 3));
        set(Atom::suffix1, last_characters(lower, 1));
        set(Atom::suffix2, last_characters(lower, 2));
        set(Atom::suffix3, last_characters(lower, 3));
        set(Atom::suffix4, last_characters(lower, 4));
        set(Atom::shape, shape);
    }
    if (is_known(columns.feats)) {
        std::string_view rest = columns.feats;
        while (true) {
            const std::size_t bar = rest.find('|');
            feats_.push_back(hash_text(rest.substr(0, bar), seed_of(Atom::feat)));
            if (bar == std::string_view::npos) break;
            rest.remove_prefix(bar + 1);
        }
    }
    feat_starts_.push_back(feats_.size());
    tag_starts_.push_back(tags_.size());
    classes_.push_back(word_class);
    nestings_.push_back(nesting_of(columns.form));
    tag_numbers_.push_back(
        static_cast<std::uint8_t>(tag_number_of(columns.upos, atoms_[at + static_cast<std::size_t>(Atom::upos)])));
    ++starts_.back();
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
    classes_.clear();
    nestings_.clear();
    tag_numbers_.clear();
}

Encoded Encoded::first(std::size_t sentences) const {
    Encoded result = *this;
    const std::size_t words = starts_[sentences];
    result.starts_.resize(sentences + 1);
    result.feat_starts_.resize(words + 1);
    result.tag_starts_.resize(words + 1);
    result.tags_.resize(result.tag_starts_.back());
    result.atoms_.resize(words * single_atoms);
    result.feats_.resize(result.feat_starts_.back());
    result.classes_.resize(words);
    result.nestings_.resize(words);
    result.tag_numbers_.resize(words);
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
    const std::size_t begin = starts_[starts_.size() - 2], end = starts_.back();
    set_ranks(Atom::verb_rank, WordClass::verb, begin, end);
    set_ranks(Atom::mark_rank, WordClass::mark, begin, end);
    for (std::size_t word = begin; word < end; ++word) {
        if (!atom(word, Atom::upos)) continue;
        place(word, Atom::opener) = combine(seed_of(Atom::opener), phrase_edge(word, begin, end, -1)) | 1;
        place(word, Atom::closer) = combine(seed_of(Atom::closer), phrase_edge(word, begin, end, 1)) | 1;
    }
}

// Up to three of them before and after.
void Encoded::set_ranks(Atom rank, WordClass counted, std::size_t begin, std::size_t end) {
    std::size_t total = 0, before = 0;
    for (std::size_t word = begin; word < end; ++word) total += classes_[word] == counted;
    for (std::size_t word = begin; word < end; ++word) {
        const bool own = classes_[word] == counted;
        const std::size_t after = total - before - own;
        if (atom(word, Atom::upos))
            place(word, rank) =
                combine(seed_of(rank), std::min<std::size_t>(before, 3) * 4 + std::min<std::size_t>(after, 3)) | 1;
        before += own;
    }
}

// The nearest adposition or conjunction on one side with no verb or mark in between; else the tag of what was met.
std::uint64_t Encoded::phrase_edge(std::size_t word, std::size_t begin, std::size_t end, int step) const {
    for (std::size_t at = word + step; at >= begin && at < end; at += step) {
        if (classes_[at] == WordClass::other) continue;
        const bool function = classes_[at] == WordClass::adposition || classes_[at] == WordClass::conjunction;
        return atom(at, function ? Atom::lower : Atom::upos);
    }
    return 0;
}

}  // namespace arbora
