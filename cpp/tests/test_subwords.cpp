#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "encoders/subwords.hpp"
#include "support/letters.hpp"

using namespace arbora;
using namespace arbora::encoders;

namespace {

struct Words {
    std::string blob;
    std::vector<std::int32_t> ends;

    explicit Words(const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            blob += word;
            ends.push_back(static_cast<std::int32_t>(blob.size()));
        }
    }
    Vocabulary view() const { return {blob, ends}; }
};

// A double array in which every byte of a key is one, and becomes the text at `text`.
std::string charsmap_of_bytes(std::uint32_t text, const std::string& texts) {
    std::vector<std::uint32_t> units(1024);
    units[0] = 256u << 10;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        units[256 + byte] = byte | 1u << 8 | 512u << 10;
        units[768 + byte] = 1u << 31 | text;
    }
    std::string result;
    const auto add = [&](std::uint32_t word) {
        for (int k = 0; k < 4; ++k) result.push_back(static_cast<char>(word >> 8 * k));
    };
    add(4096);
    for (const std::uint32_t unit : units) add(unit);
    return result + texts;
}

CharacterClasses marks() {
    const std::vector<std::int32_t> triples = {0x300, 0x36f, 2, 0x200d, 0x200d, 8};
    return read_classes(triples);
}

template <class Make>
bool is_refused(const Make& make) {
    try {
        make();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

std::string applied(const NormalizingStep& step, const std::string& text) {
    std::u32string characters, space;
    decode_utf8(text, characters);
    step.apply(characters, space);
    std::string result;
    for (const char32_t c : characters) append_utf8(c, result);
    return result;
}

}  // namespace

TEST(subwords_within_words_are_the_longest) {
    const Words words({"[UNK]", "a", "ab", "##c", "##cd", "##d", ""});
    const auto model = make_wordpiece(words.view(), 0, U"##", 5);
    const auto cut = [&](std::u32string_view piece) {
        std::vector<int> ids;
        model->cut(piece, ids);
        return ids;
    };
    CHECK((cut(U"abcd") == std::vector<int>{2, 4}));
    CHECK((cut(U"abccd") == std::vector<int>{2, 3, 4}));
    CHECK((cut(U"abx") == std::vector<int>{0}));
    CHECK((cut(U"abcdcd") == std::vector<int>{0}));  // six characters are too many
}

TEST(merges_of_low_rank_come_first) {
    const Words words({"a", "b", "c", "ab", "bc", "abc"});
    const std::vector<std::int32_t> merges = {1, 2, 4, 0, 1, 3, 0, 4, 5};
    const auto model = make_byte_pairs(words.view(), merges, {});
    std::vector<int> ids;
    model->cut(U"abcab?", ids);
    CHECK((ids == std::vector<int>{5, 3}));
    const std::vector<std::int32_t> beyond = {1, 2, 6};
    CHECK(is_refused([&] { make_byte_pairs(words.view(), beyond, {}); }));
}

TEST(a_unigram_cut_has_the_largest_sum) {
    const Words words({"?", "a", "b", "ab", "aba"});
    const std::vector<double> scores = {0, -1, -1, -3, -1.5};
    const auto model = make_unigram(words.view(), scores, 0, false);
    std::vector<int> ids;
    model->cut(U"ababxxb", ids);
    CHECK((ids == std::vector<int>{4, 2, 0, 2}));
}

TEST(clusters_become_what_their_beginning_becomes) {
    const auto step = make_charsmap(charsmap_of_bytes(0, std::string("X\0", 2)), marks());
    CHECK(applied(*step, "ab") == "XX");
    CHECK(applied(*step, "a\u0301b") == "XX");
    CHECK(applied(*step, "a\u0301\u0301\u0301") == "XXXX");  // seven bytes are no cluster
}

TEST(a_broken_charsmap_is_refused_or_works) {
    const std::string whole = charsmap_of_bytes(2, std::string("X\0\xffY", 4));
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::string broken = whole;
        for (int k = 0; k < 4; ++k) broken[random() % (round % 2 ? 64 : broken.size())] = static_cast<char>(random());
        if (round % 5 == 0) broken.resize(random() % broken.size());
        is_refused([&] { applied(*make_charsmap(broken, marks()), "a\u0301b \u00e9\U0001f600\xff"); });
    }
    CHECK(is_refused([&] { make_charsmap("", marks()); }));
}

TEST(tables_of_characters_must_be_whole) {
    using Numbers = std::vector<std::int32_t>;
    const auto is_map = [](const Numbers& ranges, const Numbers& ends, const Numbers& values) {
        return !is_refused([&] { CharacterMap(ranges, ends, values); });
    };
    CHECK(is_map({65, 66}, {1}, {97}));
    CHECK(!is_map({65}, {1}, {97}));
    CHECK(!is_map({66, 65}, {1}, {97}));
    CHECK(!is_map({65, 66}, {2}, {97}));
    CHECK(!is_map({65, 66}, {1}, {0xd800}));
    CHECK(!is_map({65, 0x110000}, {1}, {97}));
    CHECK(!is_map({65, 66, 66, 67}, {1, 1}, {97}));
    CHECK(is_refused([] { read_classes(Numbers{65, 66, 256}); }));
    CHECK(is_refused([] { read_classes(Numbers{}); }));
}

TEST(words_of_nothing_are_unknown) {
    const Words words({"[UNK]", "a"});
    Normalizer normalizer;
    normalizer.add(make_strip(true, true));
    Splitter splitter;
    splitter.add(make_space_splitting());
    const AddedWord added{U"[A]", 2, true, true, false};
    const Subwords subwords(normalizer, splitter, make_wordpiece(words.view(), 0, U"##", 5), {added}, 3, 0);
    std::vector<int> ids;
    subwords.cut_line(" ", ids);
    CHECK(ids.empty());
    subwords.cut_word("", ids);
    subwords.cut_word("a [A] a[", ids);
    CHECK((ids == std::vector<int>{0, 1, 2, 0}));
    const auto with_size = [&](int size) {
        Subwords(normalizer, splitter, make_wordpiece(words.view(), 0, U"##", 5), {added}, size, 0);
    };
    CHECK(is_refused([&] { with_size(2); }));
}
