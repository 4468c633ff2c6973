#include "treebank/forbidden.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace arbora::treebank {
namespace {

constexpr std::string_view beginning = "ForbiddenHeads=";

// What is before the first separator, which is taken off with it.
std::string_view take(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view first = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return first;
}

// Adds the heads that an item lists; says what is wrong with it.
std::string read_heads(std::string_view listed, int n, std::vector<int>& heads) {
    const std::string item = "MISC: " + std::string(beginning) + std::string(listed);
    for (bool is_last = false; !is_last;) {
        is_last = listed.find(',') == std::string_view::npos;
        const std::string_view text = take(listed, ',');
        int head = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head);
        if (error == std::errc::invalid_argument || end != text.data() + text.size() || text.front() == '-')
            return item + ": '" + std::string(text) + "' is no number of a word";
        if (error != std::errc() || head > n)
            return item + ": there is no word " + std::string(text) + " in a sentence of " + std::to_string(n);
        heads.push_back(head);
    }
    return {};
}

// Why no tree goes with what is forbidden of a word, as far as it shows there.
std::string contradiction(const std::vector<int>& heads, int word, int given, int n) {
    const auto has = [&](int head) { return std::binary_search(heads.begin(), heads.end(), head); };
    if (given >= 0 && has(given))
        return "the head " + std::to_string(given) + " of token " + std::to_string(word) + " is given and forbidden";
    if (static_cast<int>(heads.size()) - has(word) == n)
        return "every head of token " + std::to_string(word) + " is forbidden";
    return {};
}

}  // namespace

void read_forbidden(AnnotatedSentence& sentence) {
    sentence.forbidden.clear();
    const int n = static_cast<int>(sentence.words());
    std::vector<int> heads;
    for (int word = 1; word <= n && !sentence.refusal.code; ++word) {
        std::string_view misc = sentence.block.words[word - 1][9];
        if (misc.find(beginning) == std::string_view::npos) continue;
        heads.clear();
        std::string malformed;
        while (!misc.empty() && malformed.empty())
            if (const std::string_view item = take(misc, '|'); item.starts_with(beginning))
                malformed = read_heads(item.substr(beginning.size()), n, heads);
        std::sort(heads.begin(), heads.end());
        heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
        if (!malformed.empty())
            sentence.refusal = {"malformed", malformed, word};
        else if (std::string reason = contradiction(heads, word, sentence.block.heads[word - 1], n); !reason.empty())
            sentence.refusal = {"infeasible", std::move(reason), word};
        for (int head : heads) sentence.forbidden.push_back({head, word});
    }
}

}  // namespace arbora::treebank
