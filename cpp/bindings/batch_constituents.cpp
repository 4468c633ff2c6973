// Trees of phrases in arbora._core's Batch: how they get in from Python, and back.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "batches.hpp"
#include "checks.hpp"
#include "strings.hpp"
#include "treebank/constituents.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
using namespace arbora::treebank;

// Forms and tags, which are XPOS, or UPOS where there is none.
nb::tuple tagged_words_of(const AnnotatedSentence& sentence) {
    const auto& words = sentence.block.words;
    Strings strings;
    return nb::make_tuple(
        make_list(words.size(), [&](std::size_t i) { return strings.get(words[i][1]); }),
        make_list(words.size(), [&](std::size_t i) { return strings.get(constituent_tag(words[i])); }));
}

using LabelledSpans = std::vector<std::tuple<std::string, std::int32_t, std::int32_t>>;

void set_constituents(Batch& batch, std::size_t place, const LabelledSpans& spans,
                      const std::optional<std::vector<double>>& probabilities) {
    AnnotatedSentence& sentence = sentence_at(batch, place);
    if (probabilities) expect_length(probabilities->size(), spans.size(), "probabilities");
    std::vector<Constituent> constituents;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const auto& [label, begin, end] = spans[i];
        if (label.find_first_of(" \t\r\n()") != label.npos)
            throw nb::value_error("a label holds a space or bracket, which brackets cannot write");
        constituents.push_back({sentence.texts->add(label), begin, end, probabilities ? (*probabilities)[i] : NAN});
    }
    const char* problem = constituents_problem(constituents, sentence.words());
    if (problem) throw nb::value_error(problem);
    sentence.constituents = std::move(constituents);
}

nb::list constituents_of(const AnnotatedSentence& sentence) {
    nb::list result;
    for (const Constituent& each : sentence.constituents)
        result.append(nb::make_tuple(nb::steal(decode_utf8(each.label)), each.begin, each.end,
                                     std::isnan(each.probability) ? nb::none() : nb::cast(each.probability)));
    return result;
}

// Copies of each sentence, so many as `counts` says.
BatchPointer repeated(const Batch& batch, const std::vector<std::size_t>& counts) {
    expect_length(counts.size(), batch.sentences.size(), "counts");
    Batch result;
    for (std::size_t i = 0; i < counts.size(); ++i)
        for (std::size_t copy = 0; copy < counts[i]; ++copy) result.sentences.push_back(batch.sentences[i].copy());
    result.owners = batch.owners;
    return hold(std::move(result));
}

}  // namespace

void arbora::bind_constituents(nb::class_<Batch>& batches) {
    batches
        .def(
            "tagged_words",
            [](Batch& self, std::size_t sentence) { return tagged_words_of(sentence_at(self, sentence)); },
            "sentence"_a, nb::sig("def tagged_words(self, sentence: int) -> tuple[list[str], list[str]]"),
            "The forms of a sentence, and tags: XPOS, or UPOS where there is none.")
        .def("set_constituents", &set_constituents, "sentence"_a, "spans"_a, "probabilities"_a = nb::none(),
             "Gives a sentence a tree of phrases: label, begin and end of each, parents first.")
        .def(
            "constituents",
            [](Batch& self, std::size_t sentence) { return constituents_of(sentence_at(self, sentence)); },
            "sentence"_a, nb::sig("def constituents(self, sentence: int) -> list[tuple[str, int, int, float | None]]"),
            "Label, begin, end and probability of each phrase, parents first.")
        .def(
            "add_measure",
            [](Batch& self, std::size_t sentence, const std::string& name, double value) {
                AnnotatedSentence& own = sentence_at(self, sentence);
                own.add_note({own.texts->add(name), NoteKind::measure, value});
            },
            "sentence"_a, "name"_a, "value"_a, "Says a number of a sentence, in a comment of this name.")
        .def(
            "add_count",
            [](Batch& self, std::size_t sentence, const std::string& name, int value) {
                AnnotatedSentence& own = sentence_at(self, sentence);
                own.add_note({own.texts->add(name), NoteKind::count, static_cast<double>(value)});
            },
            "sentence"_a, "name"_a, "value"_a, "The same of a whole number.")
        .def("repeated", &repeated, "counts"_a, "A batch with so many copies of each sentence.");
}
