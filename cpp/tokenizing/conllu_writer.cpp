#include "tokenizing/conllu_writer.hpp"

#include <charconv>

#include "tokenizing/symbols.hpp"

namespace arbora::tokenizing {

namespace {

constexpr std::string_view unknown = "\t_\t_\t_\t_\t_\t_\t_\t";  // LEMMA to DEPS

void put_number(std::uint64_t number, std::string& result) {
    char digits[20];
    result.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void put_misc(std::string_view before, const TextToken& token, std::string_view after, bool ranges,
              std::string& result) {
    const std::size_t begin = result.size();
    const auto next = [&] {
        if (result.size() > begin) result.push_back('|');
    };
    if (after.empty())
        result += "SpaceAfter=No";
    else if (after != " ") {
        result += "SpacesAfter=";
        escape_spaces(after, result);
    }
    if (!before.empty()) {
        next();
        result += "SpacesBefore=";
        escape_spaces(before, result);
    }
    if (ranges) {
        next();
        result += "TokenRange=";
        put_number(token.first_character, result);
        result.push_back(':');
        put_number(token.last_character, result);
    }
    if (result.size() == begin) result.push_back('_');
}

void put_row(std::uint64_t id, std::string_view form, std::string& result) {
    put_number(id, result);
    result.push_back('\t');
    result += form;
    result += unknown;
}

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
        else if (code < 0x20 || code == 0x85 || code == 0x2028 || code == 0x2029 || code == 0xfeff) {
            result += "\\u";
            for (int shift = 12; shift >= 0; shift -= 4) result.push_back("0123456789ABCDEF"[code >> shift & 15]);
        } else {
            result += spaces.substr(at, bytes);
        }
        at += bytes;
    }
}

void write_conllu(const TextBatch& batch, const Multiwords& multiwords, bool ranges, Written& written,
                  std::string& result) {
    const std::string_view text = batch.text;
    std::vector<std::string> words;
    std::size_t t = 0;
    for (std::size_t s = 0; s < batch.sentence_ends.size(); ++s) {
        const std::size_t end = batch.sentence_ends[s];
        if (batch.is_first && s == 0) result += "# newdoc\n";
        if (batch.new_paragraph[s]) result += "# newpar\n";
        result += "# sent_id = ";
        put_number(++written.sentences, result);
        result += "\n# text = ";
        for (std::size_t k = t; k < end; ++k) {
            const TextToken& token = batch.tokens[k];
            result += text.substr(token.begin, token.end - token.begin);
            if (k + 1 < end && batch.tokens[k + 1].begin > token.end) result.push_back(' ');
        }
        result.push_back('\n');
        std::uint64_t id = 0;
        for (; t < end; ++t) {
            const TextToken& token = batch.tokens[t];
            const std::string_view form = text.substr(token.begin, token.end - token.begin);
            const std::size_t next = t + 1 < batch.tokens.size() ? batch.tokens[t + 1].begin : text.size();
            const std::string_view before = t == 0 ? text.substr(0, token.begin) : std::string_view();
            const std::string_view after = text.substr(token.end, next - token.end);
            if (multiwords.split(form, words)) {
                put_number(id + 1, result);
                result.push_back('-');
                put_row(id + words.size(), form, result);
                put_misc(before, token, after, ranges, result);
                for (const std::string& word : words) {
                    result.push_back('\n');
                    put_row(++id, word, result);
                    result.push_back('_');
                }
                written.words += words.size();
            } else {
                put_row(++id, form, result);
                put_misc(before, token, after, ranges, result);
                ++written.words;
            }
            result.push_back('\n');
            ++written.tokens;
        }
        result.push_back('\n');
    }
}

}  // namespace arbora::tokenizing
