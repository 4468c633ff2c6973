#include "tokenizing/scanner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "treebank/utf8.hpp"

namespace arbora::tokenizing {

namespace {

// Minus the logarithm of the probability that a sentence ends where these are the log-odds of it. A place that nothing
// speaks for counts as one that little does.
double doubt_of(float log_odds) {
    constexpr double most = 30;
    return std::min(most, log_odds > -most ? std::log1p(std::exp(-static_cast<double>(log_odds))) : most);
}

constexpr std::size_t worth_a_try = 1 << 16;  // bytes: much more than what is looked at again

// Where a character begins whose end has not come yet; the size if there is none.
std::size_t whole_characters(std::string_view bytes) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if (byte < 0x80) break;
        if (byte >= 0xc0)
            return (byte >= 0xf0 ? 4u : byte >= 0xe0 ? 3u : 2u) > back ? bytes.size() - back : bytes.size();
    }
    return bytes.size();
}

// Symbols whose decisions can no longer change: `context` symbols after them are there, and will stay.
std::size_t decidable(const Symbols& symbols) {
    std::size_t known = symbols.size() - padding;
    while (known > 0 && is_gap(symbols.code[known - 1])) --known;  // more spaces may come
    return known > context + 1 ? known - context - 1 : 0;
}

}  // namespace

void TextScanner::append(std::string_view piece, bool final) {
    unfinished_.append(piece);
    const std::size_t whole = final ? unfinished_.size() : whole_characters(unfinished_);
    const std::string_view bytes(unfinished_.data(), whole);
    const std::size_t bad = treebank::first_bad_utf8(bytes);
    lines_ +=
        static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bad), '\n'));
    bytes_ += bad;
    if (bad < whole) throw std::invalid_argument("bytes that are no UTF-8");
    buffer_.append(bytes);
    unfinished_.erase(0, whole);
}

TextBatch TextScanner::feed(std::string_view piece, bool final, int threads) {
    append(piece, final);
    TextBatch batch;
    if (!final && buffer_.size() < try_at_) return batch;
    if (buffer_.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("more than 4 GB of spaces, or of text at once: give it in pieces");
    read_symbols(buffer_, model_.classes, symbols_);
    const auto first = std::lower_bound(symbols_.byte.begin() + padding, symbols_.byte.end() - 1 - padding, decided_);
    const std::size_t begin = static_cast<std::size_t>(first - symbols_.byte.begin());
    const std::size_t end = final ? symbols_.size() - padding : decidable(symbols_);
    if (end <= begin && !final) {
        try_at_ = 2 * buffer_.size();  // so that the work is linear however small the pieces
        return batch;
    }
    batch.is_first = first_;
    batch.is_last = final;
    decide(model_, symbols_, begin, end, threads, decisions_);
    assemble(begin, end, batch);
    try_at_ = buffer_.size() + worth_a_try;
    return batch;
}

void TextScanner::assemble(std::size_t begin, std::size_t end, TextBatch& batch) {
    std::size_t handed_out = given_;
    for (std::size_t i = begin; i < end; ++i) {
        if (is_gap(symbols_.code[i])) continue;
        if (!in_token_) {
            token_.begin = symbols_.byte[i];
            token_.first_character = characters_before_ + symbols_.character[i];
            in_token_ = true;
            token_length_ = 0;
        }
        const bool too_long = ++token_length_ >= limits_.token_characters;
        const bool ends_line = limits_.lines && is_line_break(symbols_.code[i + 1]);
        if (decisions_.boundary[i] == inside && !too_long && !ends_line) continue;
        token_.end = symbols_.byte[i + 1];
        token_.last_character = characters_before_ + symbols_.character[i + 1];
        // A cut that nothing but its length asks for is the worst place for a sentence's end.
        token_.score = decisions_.boundary[i] == inside ? -std::numeric_limits<float>::infinity() : decisions_.score[i];
        token_.ends_sentence = limits_.lines ? ends_line : decisions_.boundary[i] == sentence_end;
        token_.ends_paragraph = symbols_.code[i + 1] == gap_paragraph;
        in_token_ = false;
        waiting_.push_back(token_);
        if (token_.ends_sentence)
            close_sentence(waiting_.size(), batch);
        else if (waiting_.size() >= limits_.sentence_tokens) {
            const auto likelier = [](const TextToken& a, const TextToken& b) { return a.score <= b.score; };
            const auto middle = waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_.size() / 2);
            const auto best = std::max_element(middle, waiting_.end(), likelier);
            close_sentence(static_cast<std::size_t>(best - waiting_.begin()) + 1, batch);
        }
        if (waiting_.empty()) {
            std::size_t next = i + 1;
            while (next < symbols_.size() && is_gap(symbols_.code[next])) ++next;
            handed_out = symbols_.byte[next];
        } else if (!batch.tokens.empty()) {
            handed_out = waiting_.front().begin;
        }
    }
    batch.text.assign(buffer_, given_, batch.tokens.empty() ? 0 : handed_out - given_);
    for (TextToken& token : batch.tokens) {
        token.begin -= given_;
        token.end -= given_;
    }
    if (!batch.tokens.empty()) first_ = false;
    forget(end, batch.tokens.empty() ? given_ : handed_out);
}

void TextScanner::close_sentence(std::size_t tokens, TextBatch& batch) {
    const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(tokens);
    batch.tokens.insert(batch.tokens.end(), waiting_.begin(), last);
    batch.sentence_ends.push_back(batch.tokens.size());
    batch.new_paragraph.push_back(paragraph_begins_);
    const TextToken& end = batch.tokens.back();
    paragraph_begins_ = end.ends_paragraph;
    const double before = std::exchange(doubt_, end.ends_paragraph || limits_.lines ? 0.0 : doubt_of(end.score));
    const Certainty& certainty = model_.certainty;
    batch.certainties.push_back(std::exp(-certainty.words - certainty.ends * (before + doubt_)));
    waiting_.erase(waiting_.begin(), last);
}

// Drops what was handed out, but not what the next decisions look back at.
void TextScanner::forget(std::size_t next_symbol, std::size_t handed_out) {
    decided_ = symbols_.byte[next_symbol];
    const std::size_t seen = next_symbol > padding + context ? next_symbol - context : padding;
    std::size_t drop = std::min<std::size_t>(handed_out, symbols_.byte[seen]);
    const auto at = std::upper_bound(symbols_.byte.begin(), symbols_.byte.end() - 1, drop) - symbols_.byte.begin() - 1;
    drop = symbols_.byte[static_cast<std::size_t>(at)];  // a symbol stays whole
    characters_before_ += symbols_.character[static_cast<std::size_t>(at)];
    buffer_.erase(0, drop);
    decided_ -= drop;
    given_ = handed_out - drop;
    for (TextToken& token : waiting_) {
        token.begin -= drop;
        token.end -= drop;
    }
    token_.begin -= drop;
}

}  // namespace arbora::tokenizing
