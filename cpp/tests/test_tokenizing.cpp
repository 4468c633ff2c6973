#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "tokenizing/boundaries.hpp"
#include "tokenizing/multiwords.hpp"
#include "tokenizing/scanner.hpp"
#include "tokenizing/sentences.hpp"
#include "treebank/rendering.hpp"

using namespace arbora;
using namespace arbora::tokenizing;

namespace {

// Classes of ASCII; all else is a letter.
struct Classes {
    std::vector<std::uint16_t> pages = std::vector<std::uint16_t>(ClassTable::pages_needed, 1);
    std::vector<std::uint8_t> blocks = std::vector<std::uint8_t>(512, static_cast<std::uint8_t>(CharClass::letter));

    Classes() {
        pages[0] = 0;
        for (int c = 0; c < 128; ++c) {
            CharClass kind = CharClass::punctuation;
            if (c == ' ' || c == '\t')
                kind = CharClass::space;
            else if (c == '\n' || c == '\r')
                kind = CharClass::line_break;
            else if (c >= '0' && c <= '9')
                kind = CharClass::digit;
            else if (c >= 'a' && c <= 'z')
                kind = CharClass::lower;
            blocks[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(kind);
        }
    }
    ClassTable table() const { return {pages.data(), blocks.data()}; }
};

// All atoms that there are, each in a template of its own, and some joined.
GapTemplates all_templates() {
    GapTemplates result;
    for (int column = 0; column < column_count; ++column)
        for (const bool right : {false, true}) {
            const auto kind = static_cast<Column>(column);
            if (kind == Column::gap && right) continue;
            const int places = kind <= Column::kind ? widest : 1;
            for (int place = 0; place < places; ++place)
                result.push_back(
                    {result.size() + 1, {{kind, right, static_cast<std::uint8_t>(place)}, {Column::gap, false, 0}}});
        }
    return result;
}

struct Model {
    Classes classes;
    std::vector<std::int16_t> weights = std::vector<std::int16_t>(1 << 10);
    BoundaryModel model;

    explicit Model(unsigned seed) {
        std::mt19937 random(seed);
        for (auto& weight : weights) weight = static_cast<std::int16_t>(static_cast<int>(random() % 201) - 100);
        const ShortWeights table{weights.data(), (1 << 10) - 1, 0.5f};
        model = {classes.table(), all_templates(), all_templates(), table, table, 100.0f, {}};
        model.spaces_in_tokens.add(CharClass::digit, CharClass::digit);
    }
};

std::string drawn_text(std::mt19937& random, std::size_t length) {
    static const std::vector<std::string> pieces = {"a",
                                                    "b",
                                                    "7",
                                                    ".",
                                                    " ",
                                                    "\n",
                                                    "\r\n",
                                                    "\n\n",
                                                    "@",
                                                    "/",
                                                    "é",
                                                    "漢",
                                                    "\xf0\x9f\x99\x82",
                                                    "1 2",
                                                    "http://",
                                                    std::string(30, 'x'),
                                                    std::string(12, '-'),
                                                    std::string(70, ' ')};
    std::string text;
    while (text.size() < length) text += pieces[random() % pieces.size()];
    return text;
}

// The text in pieces of exactly their size, so that the sanitizer sees a read beyond an end.
std::string conllu(const BoundaryModel& model, const std::string& text, std::size_t size, int threads) {
    TextScanner scanner(model, {7, 20});
    TextCounts counts;
    std::string result;
    for (std::size_t at = 0; at <= text.size(); at += size) {
        const std::size_t count = std::min(size, text.size() - at);
        const std::unique_ptr<char[]> bytes(new char[count]);
        std::copy_n(text.data() + at, count, bytes.get());
        const auto found =
            std::make_shared<TextBatch>(scanner.feed({bytes.get(), count}, at + size > text.size(), threads));
        const treebank::Batch batch = make_sentences(found, {}, true, counts, threads);
        for (const treebank::AnnotatedSentence& sentence : batch.sentences) append_conllu(sentence, result);
    }
    return result;
}

}  // namespace

TEST(tokenizing_pieces_and_threads_change_nothing) {
    std::mt19937 random(5);
    for (const std::size_t length : {0, 1, 5, 80, 700, 9000}) {
        const Model model(static_cast<unsigned>(length));
        const std::string text = drawn_text(random, length);
        const std::string whole = conllu(model.model, text, text.size() + 1, 1);
        CHECK(conllu(model.model, text, text.size() + 1, 3) == whole);
        for (const std::size_t size : {1, 7, 64, 1000})
            if (size * 2000 > length) CHECK(conllu(model.model, text, size, 1) == whole);
    }
}

TEST(tokenizing_keeps_every_byte) {
    std::mt19937 random(6);
    const Model model(1);
    const std::string text = "x" + drawn_text(random, 3000);
    TextScanner scanner(model.model, {7, 20});
    const TextBatch batch = scanner.feed(text, true, 1);
    CHECK(batch.text == text);
    std::size_t at = 0;
    for (const TextToken& token : batch.tokens) {
        CHECK(at <= token.begin && token.begin < token.end && token.end <= text.size());
        at = token.end;
    }
    CHECK(batch.sentence_ends.back() == batch.tokens.size());
    std::size_t before = 0;
    for (const std::size_t end : batch.sentence_ends) {
        CHECK(end > before && end - before <= 7);
        before = end;
    }
}

TEST(tokenizing_symbols_join_spaces) {
    const Classes classes;
    Symbols symbols;
    read_symbols(" a b\t c\r\nd\n\r\ne \n", classes.table(), symbols);
    std::vector<std::uint32_t> codes;
    for (const std::uint32_t code : symbols.code)
        if (codes.empty() || code != gap_paragraph || codes.back() != gap_paragraph) codes.push_back(code);
    const std::vector<std::uint32_t> expected = {gap_paragraph, 'a', gap_space,     'b', gap_spaces,   'c',
                                                 gap_line,      'd', gap_paragraph, 'e', gap_paragraph};
    CHECK(codes == expected);
    CHECK(symbols.byte.back() == 16 && symbols.character.back() == 16);
}

TEST(tokenizing_refuses_what_is_no_utf8) {
    const Model model(1);
    for (const std::string bad : {"\xff", "\xc3(", "\xed\xa0\x80", "\xf0\x9f"}) {
        TextScanner scanner(model.model, {7, 20});
        bool refused = false;
        try {
            scanner.feed("a\nb" + bad, false, 1);
            scanner.feed("", true, 1);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused && scanner.bytes() == 3 && scanner.lines() == 1);
    }
}

TEST(tokenizing_splits_tokens_into_words) {
    Multiwords rules;
    rules.patterns = {{{2}, 0, "", {}}, {{}, 1, "e", {"le"}}, {{1, 1}, 0, "", {}}};
    rules.add_ending("i", -1);
    rules.add_ending("ki", 0);
    rules.add_form("Du", 1);
    rules.add_form("éàü", 2);
    std::vector<std::string> words;
    CHECK(rules.split("evdeKI", words) && words == (std::vector<std::string>{"evde", "KI"}));
    CHECK(rules.split("du", words) && words == (std::vector<std::string>{"de", "le"}));
    CHECK(rules.split("éàü", words) && words == (std::vector<std::string>{"é", "à", "ü"}));
    for (const std::string form : {"ki", "i", "", "mi", "k"}) CHECK(!rules.split(form, words));
}

TEST(tokenizing_learning_fits_what_it_sees) {
    const Classes classes;
    std::string text;
    std::vector<std::uint8_t> boundary;
    for (int k = 0; k < 40; ++k) {
        text += "ab. ";
        boundary.insert(boundary.end(), {0, 1, 2, 0});
    }
    Symbols symbols;
    read_symbols(text, classes.table(), symbols);
    OnlineLearner tokens(10, 0, StepRule::adagrad, 0.5), sentences(10, 0, StepRule::adagrad, 0.5);
    double first = 0, last = 0;
    for (int epoch = 0; epoch < 10; ++epoch) {
        last = train_token_ends({symbols, boundary.data()}, all_templates(), {}, 1, tokens) +
               train_sentence_ends({symbols, boundary.data()}, all_templates(), 1, sentences);
        if (epoch == 0) first = last;
    }
    CHECK(last < 0.05 * first);
}
