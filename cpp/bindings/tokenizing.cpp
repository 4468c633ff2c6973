// arbora._core's tokenizer, for arbora.text.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "batches.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "interruption.hpp"
#include "linear/learner.hpp"
#include "templates.hpp"
#include "tokenizing/boundaries.hpp"
#include "tokenizing/multiwords.hpp"
#include "tokenizing/scanner.hpp"
#include "tokenizing/sentences.hpp"
#include "treebank/utf8.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
using namespace arbora::tokenizing;

using TemplateSpecs = std::vector<TemplateSpec>;

// The table of classes as Python holds it, known to be whole.
struct LoadedClasses {
    Array<const std::uint16_t> pages;
    Array<const std::uint8_t> blocks;

    ClassTable table() const { return {pages.data(), blocks.data()}; }
};

LoadedClasses checked_classes(Array<const std::uint16_t> pages, Array<const std::uint8_t> blocks) {
    const std::size_t count = blocks.shape(0) / 256;
    if (pages.shape(0) != ClassTable::pages_needed || blocks.shape(0) % 256 ||
        !std::all_of(pages.data(), pages.data() + pages.shape(0), [&](std::uint16_t page) { return page < count; }) ||
        !std::all_of(blocks.data(), blocks.data() + blocks.shape(0),
                     [](std::uint8_t kind) { return kind < static_cast<int>(CharClass::count); }))
        throw nb::value_error("the table of character classes is not whole");
    LoadedClasses classes{std::move(pages), std::move(blocks)};
    for (const char separator : {'\t', '\n', '\r'})
        if (!is_space(classes.table().of(separator)))
            throw nb::value_error("the table of character classes has tabs or line ends that are no spaces");
    return classes;
}

GapTemplates checked_templates(const TemplateSpecs& templates) {
    GapTemplates result;
    for (const auto& [seed, atoms, _] : templates) {
        result.push_back({seed, {}});
        for (const auto& [place, offset, name] : atoms) result.back().atoms.push_back(gap_atom(place, offset, name));
    }
    return result;
}

using ClassPairSpecs = std::vector<std::tuple<int, int>>;

ClassPairs checked_pairs(const ClassPairSpecs& pairs) {
    ClassPairs result;
    for (const auto& [left, right] : pairs) {
        if (std::min(left, right) < 0 || std::max(left, right) >= static_cast<int>(CharClass::count))
            throw nb::value_error("there is no such class of characters");
        result.add(static_cast<CharClass>(left), static_cast<CharClass>(right));
    }
    return result;
}

struct TextModel {
    LoadedClasses classes;
    LoadedWeights token_weights, sentence_weights;
    BoundaryModel model;
};

std::string_view checked_text(const nb::bytes& data) {
    const std::string_view text(data.c_str(), data.size());
    if (treebank::first_bad_utf8(text) < text.size()) throw nb::value_error("bytes that are no UTF-8");
    if (text.size() > 0xffffffffu - 256) throw nb::value_error("more than 4 GB of text at once");
    return text;
}

// A text to learn from.
struct LearnedText {
    Symbols symbols;
    std::vector<std::uint8_t> boundary;

    TrainingText view() const { return {symbols, boundary.data()}; }
};

template <class T, class Get>
nb::ndarray<nb::numpy, T, nb::ndim<1>> row_of(std::size_t count, Get get) {
    T* data;
    auto result = new_array<T, 1>({count}, data);
    for (std::size_t k = 0; k < count; ++k) data[k] = static_cast<T>(get(k));
    return result;
}

void bind_training(nb::module_& m) {
    nb::class_<LearnedText>(m, "TrainingText",
                            "A text, and for each character what follows it: 0, 1 a token's end, "
                            "2 a sentence's.")
        .def(
            "__init__",
            [](LearnedText* self, const nb::bytes& data, const Array<const std::uint8_t>& boundary,
               Array<const std::uint16_t> pages, Array<const std::uint8_t> blocks) {
                const std::string_view text = checked_text(data);
                const LoadedClasses classes = checked_classes(std::move(pages), std::move(blocks));
                LearnedText result;
                read_symbols(text, classes.table(), result.symbols);
                expect_length(boundary, result.symbols.character.back(), "boundary");
                result.boundary.assign(boundary.data(), boundary.data() + boundary.shape(0));
                new (self) LearnedText(std::move(result));
            },
            "data"_a, "boundary"_a.noconvert(), "pages"_a.noconvert(), "blocks"_a.noconvert())
        .def(
            "train_token_ends",
            [](const LearnedText& self, const TemplateSpecs& templates, const ClassPairSpecs& spaces_in_tokens,
               std::uint64_t seed, OnlineLearner& learner) {
                const GapTemplates checked = checked_templates(templates);
                const ClassPairs pairs = checked_pairs(spaces_in_tokens);
                const Unlocked unlocked;
                return train_token_ends(self.view(), checked, pairs, seed, learner);
            },
            "templates"_a, "spaces_in_tokens"_a, "seed"_a, "learner"_a)
        .def(
            "train_sentence_ends",
            [](const LearnedText& self, const TemplateSpecs& templates, std::uint64_t seed, OnlineLearner& learner) {
                const GapTemplates checked = checked_templates(templates);
                const Unlocked unlocked;
                return train_sentence_ends(self.view(), checked, seed, learner);
            },
            "templates"_a, "seed"_a, "learner"_a)
        .def(
            "features",
            [](const LearnedText& self, const TemplateSpecs& templates, int bits) {
                expect_between(bits, 1, 31, "bits");
                Gaps gaps;
                const Symbols& symbols = self.symbols;
                for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
                    if (!is_gap(symbols.code[i])) gaps.add(i, after_gap(symbols, i));
                GapColumns columns;
                columns.read(symbols, 0, symbols.size());
                std::vector<std::uint32_t> found;
                const GapTemplates checked = checked_templates(templates);
                gap_features(columns, gaps, checked, (1u << bits) - 1, found);
                std::vector<std::vector<std::uint32_t>> result;
                for (std::size_t k = 0; k < gaps.size(); ++k) {
                    result.emplace_back();
                    for (std::size_t t = 0; t < checked.size(); ++t)
                        result.back().push_back(found[t * gaps.size() + k]);
                }
                return result;
            },
            "templates"_a, "bits"_a, "The places of the features of the gap after each character that is no space.");
}

}  // namespace

void bind_tokenizing(nb::module_& m) {
    bind_training(m);
    m.def("char_class_names",
          [] { return std::vector<std::string>(char_class_names.begin(), char_class_names.end()); });
    nb::class_<Multiwords>(m, "Multiwords", "How tokens fall into words.")
        .def(
            "__init__",
            [](Multiwords* self,
               const std::vector<std::tuple<std::vector<int>, int, std::string, std::vector<std::string>>>& patterns,
               const std::vector<std::tuple<std::string, int>>& forms,
               const std::vector<std::tuple<std::string, int>>& endings) {
                Multiwords result;
                for (const auto& [lengths, cut, add, rest] : patterns) {
                    if (cut < 0 ||
                        std::any_of(
                            lengths.begin(), lengths.end(), [](int n) { return n < 1; }) ||
                        (lengths.empty() && rest.empty()))
                        throw nb::value_error("there is no such way to split a token");
                    result.patterns.push_back({lengths, cut, add, rest});
                }
                const int count = static_cast<int>(patterns.size());
                for (const auto* rules : {&forms, &endings})
                    for (const auto& rule : *rules)
                        if (std::get<1>(rule) < -1 || std::get<1>(rule) >= count)
                            throw nb::value_error("there is no such pattern");
                for (const auto& [form, pattern] : forms) result.add_form(form, pattern);
                for (const auto& [ending, pattern] : endings) result.add_ending(ending, pattern);
                new (self) Multiwords(std::move(result));
            },
            "patterns"_a, "forms"_a, "endings"_a)
        .def(
            "split",
            [](const Multiwords& self, const std::string& form) {
                std::vector<std::string> words;
                return self.split(form, words) ? std::optional(words) : std::nullopt;
            },
            "form"_a);
    nb::class_<TextModel>(m, "TextModel", "Where tokens and sentences end, by two linear models.")
        .def(
            "__init__",
            [](TextModel* self, Array<const std::uint16_t> pages, Array<const std::uint8_t> blocks,
               const TemplateSpecs& token_templates, const TemplateSpecs& sentence_templates,
               const LoadedWeights& token_weights, const LoadedWeights& sentence_weights, float sentence_threshold,
               const ClassPairSpecs& spaces_in_tokens, double doubt_of_words, double doubt_of_ends) {
                if (!(doubt_of_words >= 0) || !(doubt_of_ends >= 0)) throw nb::value_error("doubts are not below 0");
                LoadedClasses classes = checked_classes(std::move(pages), std::move(blocks));
                BoundaryModel model{classes.table(),
                                    checked_templates(token_templates),
                                    checked_templates(sentence_templates),
                                    token_weights.table(0),
                                    sentence_weights.table(0),
                                    sentence_threshold,
                                    checked_pairs(spaces_in_tokens),
                                    {doubt_of_words, doubt_of_ends}};
                new (self) TextModel{std::move(classes), token_weights, sentence_weights, std::move(model)};
            },
            "pages"_a.noconvert(), "blocks"_a.noconvert(), "token_templates"_a, "sentence_templates"_a,
            "token_weights"_a, "sentence_weights"_a, "sentence_threshold"_a, "spaces_in_tokens"_a,
            "doubt_of_words"_a = 0.0, "doubt_of_ends"_a = 0.0);
    nb::class_<TextCounts>(m, "TextCounts", "How much of a text there is so far.")
        .def(
            "__init__",
            [](TextCounts* self, std::string prefix, std::string document, std::uint64_t sentences) {
                for (const std::string* text : {&prefix, &document})
                    if (text->find_first_of("\r\n") != std::string::npos)
                        throw nb::value_error("a comment is one line");
                new (self) TextCounts{std::move(prefix), std::move(document), sentences};
            },
            "prefix"_a = "", "document"_a = "newdoc", "sentences"_a = 0,
            "Numbers of sentences go on behind `sentences`, and begin with the prefix; a comment of the first sentence "
            "is "
            "the document, if it is not empty.")
        .def_ro("sentences", &TextCounts::sentences)
        .def_ro("tokens", &TextCounts::tokens)
        .def_ro("words", &TextCounts::words);
    nb::class_<TextBatch>(m, "TextBatch", "Sentences that follow each other in a text.")
        .def_prop_ro("text", [](const TextBatch& self) { return nb::bytes(self.text.data(), self.text.size()); })
        .def_prop_ro("is_first", [](const TextBatch& self) { return self.is_first; })
        .def_prop_ro(
            "starts",
            [](const TextBatch& self) {
                return row_of<std::int64_t>(self.tokens.size(),
                                            [&](std::size_t k) { return self.tokens[k].first_character; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "ends",
            [](const TextBatch& self) {
                return row_of<std::int64_t>(self.tokens.size(),
                                            [&](std::size_t k) { return self.tokens[k].last_character; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "scores",
            [](const TextBatch& self) {
                return row_of<float>(self.tokens.size(), [&](std::size_t k) { return self.tokens[k].score; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "paragraph_ends",
            [](const TextBatch& self) {
                return row_of<bool>(self.tokens.size(), [&](std::size_t k) { return self.tokens[k].ends_paragraph; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "sentence_ends",
            [](const TextBatch& self) {
                return row_of<std::int64_t>(self.sentence_ends.size(),
                                            [&](std::size_t k) { return self.sentence_ends[k]; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "new_paragraph",
            [](const TextBatch& self) {
                return row_of<bool>(self.new_paragraph.size(), [&](std::size_t k) { return self.new_paragraph[k]; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "certainties",
            [](const TextBatch& self) {
                return row_of<double>(self.certainties.size(), [&](std::size_t k) { return self.certainties[k]; });
            },
            nb::rv_policy::move)
        .def(
            "to_batch",
            [](const TextBatch& self, const Multiwords& multiwords, bool ranges, TextCounts& counts, int threads) {
                const Unlocked unlocked;
                return hold(
                    make_sentences(std::make_shared<const TextBatch>(self), multiwords, ranges, counts, threads));
            },
            "multiwords"_a, "ranges"_a, "counts"_a, "threads"_a, "The sentences as a batch for components.");
    nb::class_<TextScanner>(m, "TextScanner", "A text that comes in pieces, cut into sentences and tokens.")
        .def(
            "__init__",
            [](TextScanner* self, const TextModel& model, std::size_t sentence_tokens, std::size_t token_characters,
               bool lines) {
                if (sentence_tokens < 1 || token_characters < 1) throw nb::value_error("limits are at least 1");
                new (self) TextScanner(model.model, {sentence_tokens, token_characters, lines});
            },
            nb::keep_alive<1, 2>(), "model"_a, "sentence_tokens"_a, "token_characters"_a, "lines"_a = false,
            "With `lines`, sentences end where lines do, and nowhere else.")
        .def_prop_ro("byte", &TextScanner::bytes, "How many bytes of UTF-8 have come.")
        .def_prop_ro(
            "line", [](const TextScanner& self) { return self.lines() + 1; }, "The line after them, from 1.")
        .def(
            "feed",
            [](TextScanner& self, const nb::bytes& piece, bool final, int threads) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const Unlocked unlocked;
                return self.feed(bytes, final, threads);
            },
            "piece"_a, "final"_a, "threads"_a, "The sentences that are known when this piece has come.");
    m.def(
        "escape_spaces",
        [](const std::string& spaces) {
            std::string result;
            escape_spaces(spaces, result);
            return result;
        },
        "spaces"_a, "Spaces as MISC shows them.");
}
