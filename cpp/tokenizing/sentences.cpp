#include "tokenizing/sentences.hpp"

#include <charconv>
#include <utility>

#include "support/parallel.hpp"
#include "tokenizing/symbols.hpp"

namespace arbora::tokenizing {

namespace {

using treebank::AnnotatedSentence;
using treebank::Row;

void append_number(std::uint64_t number, std::string& result) {
    char digits[20];
    result.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

Row unknown_row(std::string_view form) { return {"_", form, "_", "_", "_", "_", "_", "_", "_", "_"}; }

// The sentences of one text, each by itself.
class SentenceMaker {
public:
    SentenceMaker(const TextBatch& batch, const Multiwords& multiwords, bool ranges, const TextCounts& before)
        : batch_(batch), multiwords_(multiwords), ranges_(ranges), before_(before) {}

    void make(std::size_t number, AnnotatedSentence& sentence) const {
        const std::size_t begin = number ? batch_.sentence_ends[number - 1] : 0, end = batch_.sentence_ends[number];
        add_comments(number, begin, end, sentence);
        for (std::size_t t = begin; t < end; ++t) add_token(t, sentence);
        sentence.block.heads.assign(sentence.words(), treebank::kUnknownHead);
        sentence.block.closing = "\n\n";
        sentence.certainty = batch_.certainties[number];
    }

private:
    std::string_view text_of(const TextToken& token) const {
        return std::string_view(batch_.text).substr(token.begin, token.end - token.begin);
    }

    void add_comments(std::size_t number, std::size_t begin, std::size_t end, AnnotatedSentence& sentence) const {
        std::vector<std::string_view>& comments = sentence.block.comments;
        thread_local std::string made;
        if (batch_.is_first && number == 0 && !before_.document.empty())
            comments.push_back(sentence.texts->add("# " + before_.document));
        if (batch_.new_paragraph[number]) comments.push_back("# newpar");
        made = "# sent_id = " + before_.prefix;
        append_number(before_.sentences + number + 1, made);
        comments.push_back(sentence.texts->add(made));
        made = "# text = ";
        for (std::size_t t = begin; t < end; ++t) {
            made += text_of(batch_.tokens[t]);
            if (t + 1 < end && batch_.tokens[t + 1].begin > batch_.tokens[t].end) made.push_back(' ');
        }
        comments.push_back(sentence.texts->add(made));
    }

    void add_token(std::size_t t, AnnotatedSentence& sentence) const {
        thread_local std::vector<std::string> words;
        const TextToken& token = batch_.tokens[t];
        const std::string_view form = text_of(token), misc = misc_of(t, sentence);
        const auto add_word = [&](std::string_view word, std::string_view its_misc) {
            sentence.block.words.push_back(unknown_row(word));
            sentence.block.words.back()[9] = its_misc;
            sentence.spans.push_back({token.first_character, token.last_character});
        };
        if (!multiwords_.split(form, words)) return add_word(form, misc);
        const auto first = static_cast<std::int32_t>(sentence.words()) + 1;
        const auto last = first + static_cast<std::int32_t>(words.size()) - 1;
        Row row = unknown_row(form);
        row[0] = sentence.texts->add(std::to_string(first) + "-" + std::to_string(last));
        row[9] = misc;
        sentence.block.multiwords.push_back({first, last, 0, row});
        for (const std::string& word : words) add_word(sentence.texts->add(word), "_");
    }

    std::string_view misc_of(std::size_t t, AnnotatedSentence& sentence) const {
        const std::string_view text = batch_.text;
        const TextToken& token = batch_.tokens[t];
        const std::size_t next = t + 1 < batch_.tokens.size() ? batch_.tokens[t + 1].begin : text.size();
        const std::string_view before = t == 0 ? text.substr(0, token.begin) : std::string_view();
        const std::string_view after = text.substr(token.end, next - token.end);
        // Where a text ends, a space does not go without saying.
        const bool is_usual = after == " " && !(batch_.is_last && t + 1 == batch_.tokens.size());
        if (before.empty() && !ranges_ && is_usual) return "_";
        if (before.empty() && !ranges_ && after.empty()) return "SpaceAfter=No";
        thread_local std::string made;
        made.clear();
        const auto separate = [&] {
            if (!made.empty()) made.push_back('|');
        };
        if (after.empty()) {
            made += "SpaceAfter=No";
        } else if (!is_usual) {
            made += "SpacesAfter=";
            escape_spaces(after, made);
        }
        if (!before.empty()) {
            separate();
            made += "SpacesBefore=";
            escape_spaces(before, made);
        }
        if (ranges_) {
            separate();
            made += "TokenRange=";
            append_number(token.first_character, made);
            made.push_back(':');
            append_number(token.last_character, made);
        }
        return sentence.texts->add(made);
    }

    const TextBatch& batch_;
    const Multiwords& multiwords_;
    bool ranges_;
    const TextCounts& before_;
};

}  // namespace

void escape_spaces(std::string_view spaces, std::string& result) {
    for (std::size_t at = 0; at < spaces.size();) {
        const auto [code, bytes] = decode(spaces.data() + at);
        if (code == ' ')
            result += "\\s";
        else if (code == '\t')
            result += "\\t";
        else if (code == '\n')
            result += "\\n";
        else if (code == '\r')
            result += "\\r";
        else if (code <= 0xffff) {
            result += "\\u";
            for (int shift = 12; shift >= 0; shift -= 4) result.push_back("0123456789ABCDEF"[code >> shift & 15]);
        } else {
            result += spaces.substr(at, bytes);
        }
        at += bytes;
    }
}

treebank::Batch make_sentences(std::shared_ptr<const TextBatch> text, const Multiwords& multiwords, bool ranges,
                               TextCounts& counts, int threads) {
    treebank::Batch result;
    result.sentences.resize(text->sentence_ends.size());
    const SentenceMaker maker(*text, multiwords, ranges, counts);
    parallel_for(result.sentences.size(), threads, [&](std::size_t i) { maker.make(i, result.sentences[i]); });
    counts.sentences += result.sentences.size();
    counts.tokens += text->tokens.size();
    counts.words += result.words();
    result.owners.push_back(std::move(text));
    return result;
}

}  // namespace arbora::tokenizing
