#include "treebank/rendering.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "treebank/numbers.hpp"

namespace arbora::treebank {
namespace {

void append_number(std::int64_t number, std::string& text) {
    char digits[24];
    text.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
}

bool is_replaced(const AnnotatedSentence& sentence, std::string_view key) {
    if (sentence.shows_candidates && key == candidates_key) return true;
    const auto names_key = [&](const WordNumbers& numbers) { return numbers.name == key; };
    return std::find(sentence.erased.begin(), sentence.erased.end(), key) != sentence.erased.end() ||
           std::any_of(sentence.numbers.begin(), sentence.numbers.end(), names_key);
}

void append_candidates(const std::vector<TagCandidate>& candidates, std::string& text) {
    text.append(candidates_key);
    char before = '=';
    for (const TagCandidate& each : candidates) {
        text.push_back(before);
        text.append(each.tag).push_back(':');
        append_fixed(each.probability, 4, text);
        before = ';';
    }
}

void append_row(const Row& row, std::string_view newline, std::string& text) {
    for (int column = 0; column < kColumns; ++column) {
        if (column) text.push_back('\t');
        text.append(row[column]);
    }
    text.append(newline);
}

void append_word(const AnnotatedSentence& sentence, std::size_t word, std::string_view newline, std::string& text) {
    const Row& row = sentence.block.words[word];
    append_number(static_cast<std::int64_t>(word) + 1, text);
    for (int column = 1; column <= 5; ++column) {
        text.push_back('\t');
        text.append(row[column]);
    }
    text.push_back('\t');
    const std::int32_t head = sentence.block.heads[word];
    if (head < 0)
        text.push_back('_');
    else
        append_number(head, text);
    text.push_back('\t');
    text.append(row[7]).push_back('\t');
    text.append(row[8]).push_back('\t');
    append_misc(sentence, word, text);
    text.append(newline);
}

}  // namespace

bool is_note(std::string_view comment, std::string_view name) {
    return comment.starts_with("# ") && comment.substr(2).starts_with(name) &&
           comment.substr(2 + name.size()).starts_with(" =");
}

bool is_replaced_comment(const AnnotatedSentence& sentence, std::string_view comment) {
    const auto says_it = [&](const Note& note) { return is_note(comment, note.name); };
    if (std::any_of(sentence.notes.begin(), sentence.notes.end(), says_it)) return true;
    const auto names_it = [&](std::string_view key) { return is_note(comment, key); };
    if (std::any_of(sentence.erased.begin(), sentence.erased.end(), names_it)) return true;
    if (sentence.constituents.empty()) return false;
    return is_note(comment, constituents_note) || is_note(comment, constituent_probabilities_note) ||
           is_note(comment, constituents_log_probability_note) ||
           is_note(comment, constituents_joint_log_probability_note);
}

void append_note(const Note& note, std::string& text) {
    switch (note.kind) {
        case NoteKind::measure: return append_fixed(note.value, 6, text);
        case NoteKind::count: return append_number(static_cast<std::int64_t>(note.value), text);
        case NoteKind::rounded:
        case NoteKind::certificate:
            if (note.value == 0) {
                text.append("proved");
            } else if (std::isinf(note.value)) {
                text.append("none");
            } else {
                text.append(note.kind == NoteKind::rounded ? "rounded, gap " : "gap ");
                append_fixed(note.value, 6, text);
            }
    }
}

void append_misc(const AnnotatedSentence& sentence, std::size_t word, std::string& text) {
    std::string_view misc = sentence.block.words[word][9];
    const bool shows_candidates = sentence.shows_candidates && !sentence.tag_candidates.empty();
    if (sentence.numbers.empty() && sentence.erased.empty() && !shows_candidates) {
        text.append(misc);
        return;
    }
    const std::size_t begin = text.size();
    for (bool more = misc != "_"; more;) {
        const std::size_t bar = misc.find('|');
        const std::string_view item = misc.substr(0, bar);
        if (!is_replaced(sentence, item.substr(0, item.find('=')))) text.append(item).push_back('|');
        more = bar != misc.npos;
        if (more) misc.remove_prefix(bar + 1);
    }
    for (const WordNumbers& numbers : sentence.numbers) {
        text.append(numbers.name).push_back('=');
        append_fixed(numbers.values[word], 4, text);
        text.push_back('|');
    }
    if (shows_candidates) {
        append_candidates(sentence.tag_candidates[word], text);
        text.push_back('|');
    }
    if (text.size() == begin)
        text.push_back('_');
    else
        text.pop_back();  // the last bar
}

void append_conllu(const AnnotatedSentence& sentence, std::string& text) {
    const Block& block = sentence.block;
    const std::string_view newline = block.crlf ? "\r\n" : "\n";
    const std::size_t begin = text.size();
    for_comments(sentence, [&](std::string_view comment) { text.append(comment).append(newline); });
    auto multiword = block.multiwords.begin();
    auto node = block.empty_nodes.begin();
    const auto append_nodes = [&](std::size_t after, bool inside) {
        for (; node != block.empty_nodes.end() && node->after == static_cast<std::int32_t>(after) &&
               (node->inside == inside || inside);
             ++node)
            append_row(node->row, newline, text);
    };
    for (std::size_t word = 0; word < block.words.size(); ++word) {
        append_nodes(word, false);
        if (multiword != block.multiwords.end() && multiword->first == static_cast<std::int32_t>(word) + 1)
            append_row((multiword++)->row, newline, text);
        append_nodes(word, true);
        append_word(sentence, word, newline, text);
    }
    append_nodes(block.words.size(), true);
    if (text.size() > begin) text.erase(text.size() - newline.size());  // `closing` has the last line's end
    text.append(block.closing);
}

}  // namespace arbora::treebank
