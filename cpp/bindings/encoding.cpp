// arbora._core's encoded sentences, and the names that templates are made of.
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <climits>
#include <map>
#include <memory>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "linear/atoms.hpp"
#include "linear/hashing.hpp"
#include "linear/templates.hpp"
#include "parsing/candidate_tags.hpp"
#include "strings.hpp"
#include "treebank/rendering.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

// In the order of AtomSource.
constexpr std::array<const char*, 5> source_names{"form", "columns", "sentence", "set", "model"};

// Each sentence as (forms, lemmas, upos, xpos, feats), lists of one length.
std::unique_ptr<Encoded> encode(nb::list sentences) {
    auto encoded = std::make_unique<Encoded>();
    for (nb::handle sentence : sentences) {
        PyObject* columns[5];
        if (!PyTuple_Check(sentence.ptr()) || PyTuple_GET_SIZE(sentence.ptr()) != 5)
            throw nb::value_error("a sentence must be a tuple of five columns");
        for (int c = 0; c < 5; ++c) {
            columns[c] = PyTuple_GET_ITEM(sentence.ptr(), c);
            if (!PyList_Check(columns[c]) || PyList_GET_SIZE(columns[c]) != PyList_GET_SIZE(columns[0]))
                throw nb::value_error("the columns of a sentence must be lists of one length");
        }
        encoded->begin_sentence();
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(columns[0]); ++i) {
            auto text = [&](int c) { return text_of(PyList_GET_ITEM(columns[c], i)); };
            encoded->add_word({text(0), text(1), text(2), text(3), text(4)});
        }
        encoded->end_sentence();
    }
    return encoded;
}

}  // namespace

void bind_encoding(nb::module_& m) {
    nb::class_<Encoded>(m, "Encoded", "Sentences as hashes of their columns.")
        .def("__len__", &Encoded::sentences)
        .def_prop_ro("words", &Encoded::words, "The number of words in all sentences.")
        .def("lengths",
             [](const Encoded& self) {
                 std::vector<int> result;
                 for (std::size_t i = 0; i < self.sentences(); ++i) result.push_back(self.length(i));
                 return result;
             })
        .def(
            "first",
            [](const Encoded& self, std::size_t count) {
                if (count) expect_place(count - 1, self.sentences(), "sentences");
                return self.first(count);
            },
            "count"_a)
        .def("checksum", &Encoded::checksum)
        .def(
            "tag_counts",
            [](const Encoded& self) {
                std::vector<int> result;
                for (std::size_t word = 0; word < self.words(); ++word)
                    result.push_back(static_cast<int>(self.tags(word).size()));
                return result;
            },
            "How many tags are listed for each word.")
        .def(
            "set_tags",
            [](Encoded& self, const Array<const int>& counts, const Array<const int>& tags,
               const Array<const double>& scores) {
                expect_length(counts, self.words(), "counts");
                expect_length(scores, tags.shape(0), "scores");
                expect_all_between(counts.data(), counts.shape(0), 0, INT_MAX, "counts");
                std::vector<std::size_t> starts{0};
                for (std::size_t i = 0; i < counts.shape(0); ++i) starts.push_back(starts.back() + counts.data()[i]);
                expect_length(tags, starts.back(), "tags");
                std::vector<WordTag> all;
                for (std::size_t i = 0; i < tags.shape(0); ++i) all.push_back({tags.data()[i], scores.data()[i]});
                self.set_tags(std::move(starts), std::move(all));
            },
            "counts"_a, "tags"_a, "scores"_a,
            "The tags that words may have: how many each, their numbers in a row, and the scores they begin with.");
    m.attr("candidates_key") = std::string(treebank::candidates_key);
    m.def(
        "candidate_tags",
        [](const std::vector<std::string>& names, const std::vector<std::string>& upos,
           const std::vector<std::string>& misc) {
            expect_length(misc.size(), upos.size(), "misc");
            const Names tags(names);
            std::vector<std::string> first;
            std::vector<std::vector<std::tuple<int, double>>> all;
            std::vector<WordTag> found;
            for (std::size_t i = 0; i < upos.size(); ++i) {
                first.emplace_back(read_candidates(tags, upos[i], misc[i], found));
                all.emplace_back();
                for (const WordTag& each : found) all.back().emplace_back(each.tag, each.score);
            }
            return std::make_tuple(first, all);
        },
        "names"_a, "upos"_a, "misc"_a,
        "What features see as the UPOS of words, and the numbers and log-probabilities of the tags they may have.");
    m.def("hash_text", [](const std::string& text) { return hash_text(text, 0); }, "text"_a);
    m.def("encode", &encode, "sentences"_a,
          nb::sig(
              "def encode(sentences: list[tuple[list[str], list[str], list[str], list[str], list[str]]]) -> Encoded"));
    m.def(
        "word_atom_names",
        [] {
            std::vector<std::tuple<std::string, std::string>> result;
            for (const AtomEntry& entry : inventory)
                result.emplace_back(entry.name, source_names[static_cast<std::size_t>(entry.source)]);
            return result;
        },
        "The inventory of atoms of words: their names, and what they are found by: form, columns, sentence, set or "
        "model.");
    m.def("arc_atom_names", [] { return std::vector<std::string>(arc_atom_names.begin(), arc_atom_names.end()); });
    m.def(
        "word_atoms",
        [](const Encoded& self) {
            std::vector<std::map<std::string, std::uint64_t>> result(self.words());
            for (std::size_t word = 0; word < self.words(); ++word)
                for (int a = 0; a < atom_count; ++a)
                    result[word][std::string(inventory[a].name)] = self.atom(word, static_cast<Atom>(a));
            return result;
        },
        "encoded"_a,
        "The atoms of all words by their names, 0 where a word has none; of a set, whether it has members.");
    m.def("section_names", [] { return std::vector<std::string>(section_names.begin(), section_names.end()); });
}
