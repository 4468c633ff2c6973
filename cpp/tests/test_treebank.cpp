#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include "check.hpp"
#include "treebank/conllu.hpp"
#include "treebank/heads.hpp"
#include "treebank/lines.hpp"
#include "treebank/rendering.hpp"
#include "treebank/utf8.hpp"

using namespace arbora::treebank;

namespace {

std::string row(const std::string& id, const std::string& head) {
    return id + "\tform\t_\t_\t_\t_\t" + head + "\t_\t_\t_\n";
}

// The text in memory of exactly its size, so that the sanitizer sees a read beyond its end.
struct Exact {
    explicit Exact(const std::string& text) : size(text.size()), bytes(new char[text.size()]) {
        std::memcpy(bytes.get(), text.data(), size);
    }
    std::string_view view() const { return {bytes.get(), size}; }
    std::size_t size;
    std::unique_ptr<char[]> bytes;
};

struct Result {
    Exact text;
    Block block;
    bool complete;
    Result(const std::string& data, bool final, const Options& options = {})
        : text(data), complete(scan(text.view(), final, options, block)) {}
    bool only(Fault fault, std::int64_t line) const {
        return block.problems.size() == 1 && block.problems[0].fault == fault && block.problems[0].line == line;
    }
};

}  // namespace

TEST(treebank_sound_sentence) {
    const Result result(
        "# c\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" + row("1", "0") + row("2", "1") + row("2.1", "_") + "\n\n", true);
    CHECK(result.complete);
    CHECK(result.block.problems.empty());
    CHECK(result.block.words.size() == 2 && result.block.words[0][1] == "form");
    CHECK((result.block.heads == std::vector<std::int32_t>{0, 1}));
    CHECK(result.block.multiwords.size() == 1 && result.block.empty_nodes.size() == 1);
    CHECK(!result.block.empty_nodes[0].inside);
    CHECK(result.block.closing == "\n\n\n");
    CHECK(result.block.bytes == result.text.size);
    CHECK(result.block.lines == 7);
}

TEST(treebank_extent_is_what_a_scan_takes) {
    const std::string pieces[]{"\n", "\r\n", "\r", "a", "# c\n", row("1", "0"), "\n\n", "1\t2\r\n"};
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (int i = static_cast<int>(random() % 7); i >= 0; --i) text += pieces[random() % std::size(pieces)];
        for (const bool final : {false, true}) {
            const Result result(text, final);
            const Extent extent = sentence_extent(result.text.view(), final);
            CHECK(extent.bytes == (result.complete ? result.block.bytes : 0));
            CHECK(extent.lines == (result.complete ? result.block.lines : 0));
        }
    }
    CHECK(sentence_extent("", true).bytes == 0);
}

TEST(treebank_sentence_ends_when_the_next_begins) {
    const std::string sentence = row("1", "0") + "\n";
    CHECK(!Result(row("1", "0"), false).complete);
    CHECK(!Result(sentence, false).complete);  // more blank lines may follow
    CHECK((Result(sentence, true).complete));
    CHECK(!Result(sentence + "#", false).complete);  // not a whole line yet
    const Result result(sentence + "#\n", false);
    CHECK(result.complete && result.block.bytes == sentence.size());
}

TEST(treebank_line_ends) {
    CHECK((Result("# c\r\n\r\n", true).block.crlf));
    CHECK((Result("# c\r\n\r\n", true).block.closing == "\r\n\r\n"));
    CHECK((Result("# c", true).block.closing.empty()));
    CHECK((Result("# c\r\n# d\n\n", true).only(Fault::mixed_line_ends, 1)));
    CHECK((Result("# c\r", true).only(Fault::carriage_return, 0)));
    CHECK((Result("\n# c\n", true).only(Fault::leading_blank, 0)));
}

TEST(treebank_faults) {
    CHECK((Result("1\ta\n", true).only(Fault::columns, 0)));
    CHECK((Result(row("1", "2"), true).only(Fault::head_range, 0)));
    CHECK((Result(row("1", "01"), true).only(Fault::bad_head, 0)));
    CHECK((Result(row("1", "0") + row("3", "0"), true).only(Fault::id_order, 1)));
    CHECK((Result(row("1", "0") + row("2", "0"), true).only(Fault::several_roots, 1)));
    CHECK((Result(row("1", "0") + row("2", "0"), true, {.single_root = false}).block.problems.empty()));
    CHECK(
        (Result(row("1-1", "_") + row("1", "0"), true, {.words_only = true}).block.problems[0].fault == Fault::bad_id));
    CHECK((Result(row("1", "0") + "#\n", true).only(Fault::late_comment, 1)));
    CHECK((Result(row("1", "2") + row("2", "1"), true).only(Fault::cycle, 0)));
    CHECK((Result("\xEF\xBB\xBF# c\n", true, {.first_in_file = true}).only(Fault::byte_order_mark, 0)));
    CHECK((Result("# \xff\n", true).only(Fault::utf8, 0)));
}

TEST(treebank_cycles) {
    using Cycles = std::vector<std::vector<std::int32_t>>;
    CHECK((cycles(std::vector<std::int32_t>{}).empty()));
    CHECK((cycles(std::vector<std::int32_t>{0, 1, -1, 3}).empty()));
    CHECK((cycles(std::vector<std::int32_t>{1}) == Cycles{{1}}));
    CHECK((cycles(std::vector<std::int32_t>{3, 5, 1, 3, 2}) == Cycles{{1, 3}, {2, 5}}));
}

TEST(treebank_nonprojective) {
    CHECK((nonprojective_words(std::vector<std::int32_t>{3, 4, 0, 3}) == std::vector<std::int32_t>{2}));
    CHECK((nonprojective_words(std::vector<std::int32_t>{2, 0, 2}).empty()));
    CHECK((nonprojective_words(std::vector<std::int32_t>{3, -1, 0}).empty()));  // nothing is known of word 2
}

TEST(treebank_utf8) {
    for (const char* good : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF"}) {
        const Exact text(good);
        CHECK(first_bad_utf8(text.view()) == text.size);
    }
    for (const char* bad :
         {"\x80", "\xC0\xAF", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\xE0\x80\x80"}) {
        CHECK(first_bad_utf8(Exact(bad).view()) == 0);
    }
}

TEST(treebank_lines_of_every_length) {
    for (std::size_t length = 0; length < 40; ++length) {
        for (std::size_t tab = 0; tab < length; ++tab) {
            std::string text(length, 'x');
            text[tab] = '\t';
            const Exact exact(text);
            const Line line = cut_line(exact.view());
            CHECK(line.tab_count == 1 && line.tabs[0] == exact.view().data() + tab);
            CHECK(line.ascii && line.ending == Ending::none && line.bytes == length);
            text[tab] = '\xC3';
            CHECK(!cut_line(Exact(text).view()).ascii);
            text[tab] = '\n';
            CHECK(cut_line(Exact(text).view()).bytes == tab + 1);
        }
    }
}

TEST(treebank_random_bytes) {
    std::mt19937 random(1);
    const std::string alphabet = "\t\t\t\n\n\r#-._012 a\x80\xC3\xA9";
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (std::size_t i = random() % 60; i > 0; --i)
            text += random() % 8 ? alphabet[random() % alphabet.size()] : '\t';
        const std::string data = random() % 2 ? row("1", "0") + text + row("2", "1") : text;
        if (data.empty()) continue;
        const Result result(data, true, {.first_in_file = true});
        CHECK(result.complete && result.block.bytes > 0 && result.block.bytes <= data.size());
    }
}

TEST(treebank_constituents) {
    const std::string text = "# constituents = (X)\n" + row("1", "_") + row("2", "_") + row("3", "_") + "\n";
    const auto owner = std::make_shared<const std::string>(text);
    AnnotatedSentence sentence = read_conllu(*owner, owner, {}).batch.sentences.at(0);
    const double unknown = std::nan("");
    sentence.constituents = {{"", 0, 3, unknown}, {"S", 0, 3, unknown}, {"NP", 1, 2, unknown}};
    CHECK(!constituents_problem(sentence.constituents, 3));
    for (Row& word : sentence.block.words) word[1] = "a b", word[3] = "(", word[4] = "_";
    std::string found;
    append_brackets(sentence, found);
    CHECK(found == "((S (-LRB- a\u00A0b) (NP (-LRB- a\u00A0b)) (-LRB- a\u00A0b)))");
    CHECK(!has_constituent_probabilities(sentence));
    std::vector<std::string> comments;
    for_comments(sentence, [&](std::string_view comment) { comments.emplace_back(comment); });
    CHECK((comments == std::vector<std::string>{"# constituents = " + found}));
    for (const std::vector<Constituent>& wrong : {std::vector<Constituent>{},
                                                  {{"S", 0, 2, 1}},
                                                  {{"S", 0, 3, 1}, {"A", 0, 2, 1}, {"B", 1, 3, 1}},
                                                  {{"S", 0, 3, 1}, {"A", 1, 1, 1}},
                                                  {{"S", 0, 3, 1}, {"A", 2, 3, 1}, {"B", 0, 1, 1}},
                                                  {{"S", 0, 3, 1}, {"A", 2, 4, 1}}})
        CHECK(constituents_problem(wrong, 3));
}
