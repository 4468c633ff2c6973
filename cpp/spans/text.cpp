#include "spans/text.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/letters.hpp"

namespace arbora {
namespace {

int length_bin(int words) {
    static constexpr std::array<int, 12> last_of_bin{1, 2, 3, 4, 5, 6, 8, 11, 15, 21, 30, 45};
    return static_cast<int>(std::lower_bound(last_of_bin.begin(), last_of_bin.end(), words) - last_of_bin.begin());
}

// What a word begins with: one number for upper case, letters, digits; marks are themselves.
std::uint64_t first_kind(std::string_view form) {
    thread_local std::u32string letters;
    decode_utf8(form, letters);
    if (letters.empty()) return 1;
    switch (letter_kind(letters[0])) {
        case LetterKind::upper: return 2;
        case LetterKind::letter: return 3;
        case LetterKind::mark: return 4;
        case LetterKind::digit: return 5;
        default: return 16 + static_cast<std::uint64_t>(letters[0]);
    }
}

}  // namespace

void SpanSentence::set(std::span<const std::string_view> forms, std::span<const std::string_view> tags) {
    if (forms.size() != tags.size()) throw std::invalid_argument("every word needs a tag");
    words_.set(forms);
    WordView view;
    for (Prefixes& prefixes : prefixes_) prefixes.start();
    marks_.assign(1, {});
    powers_.assign(1, 1);
    for (std::size_t word = 0; word < forms.size(); ++word) {
        const int at = static_cast<int>(word);
        view.set({.form = forms[word], .xpos = tags[word]});
        words_.set_atom(at, tag_atom, value_of(tag_atom, view));
        const std::uint64_t kind = first_kind(forms[word]);
        prefixes_[0].add(mix_bits(kind));
        prefixes_[1].add(tag(at));
        prefixes_[2].add(words_.atom(at, atoms::lower));
        powers_.push_back(powers_.back() * base);
        Marks marks = marks_.back();
        const Nesting nesting = nesting_of(forms[word]);
        marks.depth += (nesting == Nesting::opens) - (nesting == Nesting::closes);
        marks.quotes += nesting == Nesting::quotes;
        marks.commas += forms[word] == ",";
        marks.others += kind >= 16 && nesting == Nesting::none && forms[word] != ",";
        marks_.push_back(marks);
    }
}

std::uint64_t SpanSentence::run(RunAtom atom, int start, int end) const {
    const std::uint64_t seed = run_atom_seeds[static_cast<std::size_t>(atom)];
    if (atom == RunAtom::length) return mix_bits(seed + static_cast<std::uint64_t>(length_bin(end - start)));
    if (atom == RunAtom::marks) {
        const Marks &before = marks_[start], &after = marks_[end];
        const int commas = std::min(after.commas - before.commas, 3),
                  others = std::min(after.others - before.others, 3);
        const int quotes = (after.quotes - before.quotes) % 2, depth = after.depth - before.depth;
        const int balance = depth < 0 ? 0 : depth == 0 ? 1 : 2;
        return mix_bits(seed + static_cast<std::uint64_t>(((commas * 4 + others) * 2 + quotes) * 3 + balance));
    }
    const auto& sums = prefixes_[static_cast<std::size_t>(atom) - 1].sums;
    return mix_bits(seed + sums[end] - sums[start] * powers_[end - start]);
}

void SpanText::add_sentence(std::span<const std::string_view> forms, std::span<const std::string_view> tags) {
    if (forms.empty()) throw std::invalid_argument("a sentence needs a word");
    sentences_.emplace_back().set(forms, tags);
    starts_.push_back(starts_.back() + forms.size());
}

std::uint64_t SpanText::checksum() const {
    std::uint64_t sum = 0;
    for (const SpanSentence& sentence : sentences_) {
        sum = combine(sum, static_cast<std::uint64_t>(sentence.count()));
        for (int word = 0; word < sentence.count(); ++word)
            sum = combine(combine(sum, sentence.words().atom(word, atoms::form)), sentence.tag(word));
    }
    return sum;
}

}  // namespace arbora
