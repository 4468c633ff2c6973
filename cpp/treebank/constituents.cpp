#include "treebank/constituents.hpp"

#include <cmath>
#include <vector>

#include "treebank/numbers.hpp"

namespace arbora::treebank {
namespace {

void append_escaped(std::string_view name, std::string& text) {
    for (const char each : name) switch (each) {
            case '(': text.append("-LRB-"); break;
            case ')': text.append("-RRB-"); break;
            case ' ': text.append("\u00A0"); break;
            default: text.push_back(each);
        }
}

// No space at the beginning and behind an empty label: ((S ...)), as treebanks of a tree a line write it.
void open_bracket(std::string_view label, std::size_t begin, std::string& text) {
    if (text.size() > begin && text.back() != '(') text.push_back(' ');
    text.push_back('(');
    append_escaped(label, text);
}

}  // namespace

const char* constituents_problem(std::span<const Constituent> constituents, std::size_t words) {
    const auto count = static_cast<std::int32_t>(words);
    if (constituents.empty() || constituents[0].begin != 0 || constituents[0].end != count)
        return "the first constituent must hold all words";
    std::vector<std::int32_t> ends;  // of those that hold the next, or lie before it
    std::int32_t last = 0;
    for (const Constituent& each : constituents) {
        if (each.begin >= each.end) return "a constituent must hold a word";
        if (each.begin < last) return "constituents must come in the order of their words, parents first";
        while (!ends.empty() && ends.back() <= each.begin) ends.pop_back();
        if (!ends.empty() && each.end > ends.back()) return "a constituent must not cross another";
        if (each.end > count) return "a constituent must end with the sentence";
        ends.push_back(each.end);
        last = each.begin;
    }
    return nullptr;
}

void append_brackets(const AnnotatedSentence& sentence, std::string& text) {
    const std::size_t start = text.size();
    std::vector<std::int32_t> ends;  // of the open brackets
    std::int32_t at = 0;
    const auto words_until = [&](std::int32_t end) {
        for (; at < end; ++at) {
            const Row& word = sentence.block.words[static_cast<std::size_t>(at)];
            open_bracket(constituent_tag(word), start, text);
            text.push_back(' ');
            append_escaped(word[1], text);
            text.push_back(')');
        }
    };
    const auto close_until = [&](std::int32_t begin) {
        for (; !ends.empty() && ends.back() <= begin; ends.pop_back()) {
            words_until(ends.back());
            text.push_back(')');
        }
    };
    for (const Constituent& each : sentence.constituents) {
        close_until(each.begin);
        words_until(each.begin);
        open_bracket(each.label, start, text);
        ends.push_back(each.end);
    }
    close_until(static_cast<std::int32_t>(sentence.words()));
}

bool has_constituent_probabilities(const AnnotatedSentence& sentence) {
    return !sentence.constituents.empty() && !std::isnan(sentence.constituents[0].probability);
}

void append_constituent_probabilities(const AnnotatedSentence& sentence, std::string& text) {
    const char* between = "";
    for (const Constituent& each : sentence.constituents) {
        text.append(between);
        append_fixed(each.probability, 4, text);
        between = " ";
    }
}

}  // namespace arbora::treebank
