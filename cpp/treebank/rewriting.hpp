// From CoNLL-U to CoNLL-U: the sentences of a text rewritten one by one on several threads.
#pragma once

#include <atomic>
#include <charconv>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/parallel.hpp"
#include "treebank/conllu.hpp"

namespace arbora::treebank {

// One sentence on its way. A task that refuses it may say why; that it breaks the format is said by others.
struct Rewriting {
    Extent extent;
    std::string_view sentence;
    std::size_t words = 0;
    std::string result = {}, refused_because = {};
};

// What became of a text's beginning.
struct RewrittenText {
    std::vector<std::string> sentences;
    std::size_t bytes = 0, words = 0;  // how much of the text these sentences are
    std::int64_t lines = 0;
    bool stopped = false;         // the next sentence breaks the format, or was refused
    std::string refused_because;  // in the latter case
};

// Rewrites all sentences that are known to have ended in the text (`final`: nothing follows it), up to the first that
// is refused: rewrite(Rewriting&) returns false then.
template <class Rewrite>
RewrittenText rewrite_sentences(std::string_view text, bool final, int threads, const Rewrite& rewrite) {
    std::vector<Rewriting> tasks;
    while (!text.empty()) {
        const Extent extent = sentence_extent(text, final);
        if (!extent.bytes) break;
        tasks.push_back({.extent = extent, .sentence = text.substr(0, extent.bytes)});
        text.remove_prefix(extent.bytes);
    }
    std::atomic<std::size_t> end{tasks.size()};  // the first that is refused: none after it need be rewritten
    parallel_for(tasks.size(), threads, [&](std::size_t i) {
        if (i > end || rewrite(tasks[i])) return;
        for (std::size_t seen = end; i < seen && !end.compare_exchange_weak(seen, i);) {
        }
    });
    RewrittenText result;
    for (std::size_t i = 0; i < end; ++i) {
        result.bytes += tasks[i].extent.bytes;
        result.lines += tasks[i].extent.lines;
        result.words += tasks[i].words;
        result.sentences.push_back(std::move(tasks[i].result));
    }
    result.stopped = end < tasks.size();
    if (result.stopped) result.refused_because = std::move(tasks[end].refused_because);
    return result;
}

// The item of MISC in which a tagger lists the UPOS tags that a word may have, for a parser to choose among.
inline constexpr std::string_view candidates_key = "UposCandidates";

// ---- writing ----

inline void append_fixed(std::string& text, double number, int decimals) {
    char digits[400];  // the greatest double has 309 digits before the point
    text.append(digits, std::to_chars(digits, std::end(digits), number, std::chars_format::fixed, decimals).ptr);
}

// Everything from `from` up to `to`, two places in the sentence.
inline void append_between(std::string& text, const char* from, const char* to) {
    text.append(from, static_cast<std::size_t>(to - from));
}

// The items of MISC, each with a bar after it, without those whose key is among `dropped`.
template <class Keys>
void append_items(std::string& text, std::string_view misc, const Keys& dropped) {
    for (bool more = misc != "_"; more;) {
        const std::size_t bar = misc.find('|');
        const std::string_view item = misc.substr(0, bar), key = item.substr(0, item.find('='));
        bool keep = true;
        for (std::string_view other : dropped) keep = keep && key != other;
        if (keep) text.append(item).append("|");
        more = bar != misc.npos;
        if (more) misc.remove_prefix(bar + 1);
    }
}

}  // namespace arbora::treebank
