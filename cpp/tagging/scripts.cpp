#include "tagging/scripts.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "support/letters.hpp"
#include "treebank/utf8.hpp"

namespace arbora {
namespace {

constexpr std::string_view letter_cases = "lktu";

void append_text(std::u32string_view letters, std::string& text) {
    for (char32_t letter : letters) append_utf8(letter, text);
}

struct Common {
    std::size_t in_first = 0, in_second = 0, size = 0;
};

// The longest run of characters that two texts share; of equals the first.
Common longest_common(std::u32string_view first, std::u32string_view second) {
    std::vector<std::size_t> before(second.size() + 1), now(second.size() + 1);
    Common best;
    for (std::size_t i = 1; i <= first.size(); ++i) {
        for (std::size_t j = 1; j <= second.size(); ++j) {
            now[j] = first[i - 1] == second[j - 1] ? before[j - 1] + 1 : 0;
            if (now[j] > best.size) best = {i - now[j], j - now[j], now[j]};
        }
        std::swap(before, now);
    }
    return best;
}

// The number that a text begins with, and the mark after it.
std::size_t take_number(std::string_view& text, char mark) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto used = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || used == text.size() || *end != mark)
        throw std::invalid_argument("this is no edit script");
    text.remove_prefix(used + 1);
    return number;
}

}  // namespace

void FormLetters::set(std::string_view form) {
    decode_utf8(form, letters_);
    lower_word(letters_, lower_);
}

char32_t FormLetters::in_case(std::size_t at, char letter_case) const {
    switch (letter_case) {
        case 'l': return lower_[at];
        case 't': return at == 0 ? to_upper(letters_[at]) : lower_[at];
        case 'u': return to_upper(letters_[at]);
        default: return letters_[at];
    }
}

EditScript::EditScript(std::string_view text) : is_whole_(text.starts_with('=')) {
    if (is_whole_) {
        front_ = text.substr(1);
        if (front_.empty()) throw std::invalid_argument("this edit script makes no lemma");
        return;
    }
    if (text.empty() || letter_cases.find(text[0]) == letter_cases.npos)
        throw std::invalid_argument("this is no edit script");
    letter_case_ = text[0];
    text.remove_prefix(1);
    std::array<std::size_t, 4> sizes{};
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = take_number(text, k + 1 < sizes.size() ? ',' : ':');
    const auto take = [&text](std::size_t size) {
        if (size > text.size()) throw std::invalid_argument("this is no edit script");
        const std::string_view taken = text.substr(0, size);
        text.remove_prefix(size);
        if (treebank::first_bad_utf8(taken) < size) throw std::invalid_argument("an edit script cuts a character");
        return taken;
    };
    decode_utf8(take(sizes[0]), off_front_);
    front_ = take(sizes[1]);
    decode_utf8(take(sizes[2]), off_back_);
    back_ = take(sizes[3]);
    if (!text.empty()) throw std::invalid_argument("this is no edit script");
}

bool EditScript::fits(const FormLetters& form) const {
    if (is_whole_) return true;
    const std::size_t front = off_front_.size(), back = off_back_.size();
    if (form.size() < front + back || (form.size() == front + back && front_.empty() && back_.empty())) return false;
    for (std::size_t i = 0; i < front; ++i)
        if (form.in_case(i, letter_case_) != off_front_[i]) return false;
    for (std::size_t i = form.size() - back, k = 0; i < form.size(); ++i, ++k)
        if (form.in_case(i, letter_case_) != off_back_[k]) return false;
    return true;
}

bool EditScript::apply(const FormLetters& form, std::string& lemma) const {
    if (!fits(form)) return false;
    lemma = front_;
    if (is_whole_) return true;
    for (std::size_t i = off_front_.size(); i < form.size() - off_back_.size(); ++i)
        append_utf8(form.in_case(i, letter_case_), lemma);
    lemma += back_;
    return true;
}

std::string find_script(std::string_view form, std::string_view lemma) {
    const FormLetters letters(form);
    std::u32string lemma_letters;
    decode_utf8(lemma, lemma_letters);
    const std::u32string_view target(lemma_letters);
    std::string best = "=";
    best += lemma;
    std::size_t least = static_cast<std::size_t>(-1);
    for (char letter_case : letter_cases) {
        std::u32string changed(letters.size(), U' ');
        for (std::size_t i = 0; i < changed.size(); ++i) changed[i] = letters.in_case(i, letter_case);
        const Common common = longest_common(changed, target);
        const std::size_t cost = changed.size() + target.size() - 2 * common.size;
        if (common.size == 0 || cost >= least) continue;
        least = cost;
        const std::u32string_view whole(changed);
        const std::array<std::u32string_view, 4> pieces{
            whole.substr(0, common.in_first), target.substr(0, common.in_second),
            whole.substr(common.in_first + common.size), target.substr(common.in_second + common.size)};
        best = letter_case;
        std::string texts;
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            const std::size_t before = texts.size();
            append_text(pieces[k], texts);
            best += std::to_string(texts.size() - before) + (k + 1 < pieces.size() ? ',' : ':');
        }
        best += texts;
    }
    return best;
}

}  // namespace arbora
