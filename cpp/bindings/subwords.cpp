// arbora._core's sub-words, for arbora.neural.
#include "encoders/subwords.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruption.hpp"
#include "strings.hpp"
#include "support/letters.hpp"
#include "support/parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
using namespace arbora::encoders;

using Ints = Array<const std::int32_t>;
using Bytes = Array<const std::uint8_t>;

template <class Number>
std::span<const Number> span_of(const Array<const Number>& array) {
    return {array.data(), array.shape(0)};
}
std::string_view bytes_of(const Bytes& array) { return {reinterpret_cast<const char*>(array.data()), array.shape(0)}; }
std::u32string characters_of(const std::string& text) {
    std::u32string result;
    arbora::decode_utf8(text, result);
    return result;
}
CharacterClasses classes_of(const Ints& triples) { return read_classes(span_of(triples)); }
CharacterMap map_of(const Ints& ranges, const Ints& ends, const Ints& values) {
    return {span_of(ranges), span_of(ends), span_of(values)};
}

MarkPrefix mark_prefix_of(const std::string& name) {
    if (name == "always") return MarkPrefix::always;
    if (name == "first") return MarkPrefix::first;
    if (name == "never") return MarkPrefix::never;
    throw nb::value_error("a mark is put before always, first, or never");
}

char32_t one_character(const std::string& text) {
    const std::u32string characters = characters_of(text);
    if (characters.size() != 1) throw nb::value_error("a mark is one character");
    return characters[0];
}

// Texts of Python, which stay as they are while the core reads them without the lock.
class HeldTexts {
public:
    explicit HeldTexts(const nb::list& texts) { add(texts); }
    HeldTexts() = default;
    void add(const nb::list& texts) {
        for (nb::handle text : texts) {
            if (!PyUnicode_Check(text.ptr())) throw nb::type_error("what is to be cut is no text");
            held_.push_back(nb::borrow(text));
            views_.push_back(text_of(text));
        }
    }
    const std::vector<std::string_view>& views() const { return views_; }

private:
    std::vector<nb::object> held_;
    std::vector<std::string_view> views_;
};

template <class Number>
using NewRow = nb::ndarray<nb::numpy, Number, nb::ndim<1>>;

// What is cut of some texts in a row.
struct CutTexts {
    std::vector<int> ids;
    std::vector<std::size_t> ends;  // of the texts, in `ids`
};

constexpr std::size_t texts_at_once = 256;

template <class Cut>
std::vector<CutTexts> cut_all(const std::vector<std::string_view>& texts, int threads, const Cut& cut) {
    std::vector<CutTexts> parts((texts.size() + texts_at_once - 1) / texts_at_once);
    const Unlocked unlocked;
    parallel_for(parts.size(), threads, [&](std::size_t part) {
        const std::size_t end = std::min(texts.size(), (part + 1) * texts_at_once);
        for (std::size_t k = part * texts_at_once; k < end; ++k) {
            cut(texts[k], parts[part].ids);
            parts[part].ends.push_back(parts[part].ids.size());
        }
    });
    return parts;
}

// The ids of all parts, and the ends of the texts among them.
std::tuple<NewRow<std::int32_t>, NewRow<std::int64_t>> joined(const std::vector<CutTexts>& parts) {
    std::size_t ids = 0, texts = 0;
    for (const CutTexts& part : parts) {
        ids += part.ids.size();
        texts += part.ends.size();
    }
    std::int32_t* id;
    std::int64_t* end;
    auto all_ids = new_array<std::int32_t, 1>({ids}, id);
    auto all_ends = new_array<std::int64_t, 1>({texts}, end);
    std::int64_t before = 0;
    for (const CutTexts& part : parts) {
        id = std::copy(part.ids.begin(), part.ids.end(), id);
        for (const std::size_t own : part.ends) *end++ = before + static_cast<std::int64_t>(own);
        before += static_cast<std::int64_t>(part.ids.size());
    }
    return {all_ids, all_ends};
}

using AddedSpec = std::tuple<std::string, int, bool, bool, bool>;

void bind_normalizer(nb::module_& m) {
    nb::class_<Normalizer>(m, "SubwordNormalizer", "Steps that a text goes through before it is cut.")
        .def(nb::init<>())
        .def(
            "add_map",
            [](Normalizer& self, const Ints& ranges, const Ints& ends, const Ints& values) {
                self.add(make_map(map_of(ranges, ends, values)));
            },
            "ranges"_a.noconvert(), "ends"_a.noconvert(), "values"_a.noconvert())
        .def(
            "add_decomposition",
            [](Normalizer& self, const Ints& ranges, const Ints& ends, const Ints& values, const Ints& combining) {
                self.add(make_decomposition(map_of(ranges, ends, values), classes_of(combining)));
            },
            "ranges"_a.noconvert(), "ends"_a.noconvert(), "values"_a.noconvert(), "combining"_a.noconvert())
        .def(
            "add_composition",
            [](Normalizer& self, const Ints& pairs, const Ints& combining) {
                self.add(make_composition(span_of(pairs), classes_of(combining)));
            },
            "pairs"_a.noconvert(), "combining"_a.noconvert())
        .def(
            "add_charsmap",
            [](Normalizer& self, const Bytes& charsmap, const Ints& clusters) {
                self.add(make_charsmap(bytes_of(charsmap), classes_of(clusters)));
            },
            "charsmap"_a.noconvert(), "clusters"_a.noconvert())
        .def(
            "add_replacement",
            [](Normalizer& self, const std::string& found, const std::string& other, bool runs) {
                self.add(make_replacement(characters_of(found), characters_of(other), runs));
            },
            "found"_a, "other"_a, "runs"_a)
        .def(
            "add_strip", [](Normalizer& self, bool left, bool right) { self.add(make_strip(left, right)); }, "left"_a,
            "right"_a)
        .def(
            "add_prefix",
            [](Normalizer& self, const std::string& prefix) { self.add(make_prefix(characters_of(prefix))); },
            "prefix"_a)
        .def(
            "apply",
            [](const Normalizer& self, const std::string& text) {
                std::u32string characters = characters_of(text), space;
                self.apply(characters, space);
                std::string result;
                for (const char32_t c : characters) append_utf8(c, result);
                return result;
            },
            "text"_a, "What becomes of a text.");
}

void bind_splitter(nb::module_& m) {
    nb::class_<Splitter>(m, "SubwordSplitter", "Steps that split a text into pieces that no sub-word goes beyond.")
        .def(nb::init<>())
        .def("add_spaces", [](Splitter& self) { self.add(make_space_splitting()); })
        .def(
            "add_words",
            [](Splitter& self, const Ints& punctuation) { self.add(make_word_splitting(classes_of(punctuation))); },
            "punctuation"_a.noconvert())
        .def(
            "add_bytes",
            [](Splitter& self, const Ints& letters, bool prefix, bool runs) {
                self.add(make_byte_splitting(classes_of(letters), prefix, runs));
            },
            "letters"_a.noconvert(), "prefix"_a, "runs"_a)
        .def(
            "add_marks",
            [](Splitter& self, const std::string& mark, const std::string& prefix, bool split) {
                self.add(make_mark_splitting(one_character(mark), mark_prefix_of(prefix), split));
            },
            "mark"_a, "prefix"_a, "split"_a);
}

void bind_models(nb::module_& m) {
    nb::class_<SubwordModel>(m, "SubwordModel", "How pieces are cut into sub-words of a vocabulary.");
    m.def(
        "wordpiece_model",
        [](const Bytes& vocabulary, const Ints& ends, int unknown, const std::string& prefix, int longest) {
            return std::shared_ptr<SubwordModel>(
                make_wordpiece({bytes_of(vocabulary), span_of(ends)}, unknown, characters_of(prefix), longest));
        },
        "vocabulary"_a.noconvert(), "ends"_a.noconvert(), "unknown"_a, "prefix"_a, "longest"_a);
    m.def(
        "byte_pair_model",
        [](const Bytes& vocabulary, const Ints& ends, const Ints& merges, int unknown, bool fuse_unknown,
           bool byte_fallback, bool whole_words_first) {
            return std::shared_ptr<SubwordModel>(
                make_byte_pairs({bytes_of(vocabulary), span_of(ends)}, span_of(merges),
                                {unknown, fuse_unknown, byte_fallback, whole_words_first}));
        },
        "vocabulary"_a.noconvert(), "ends"_a.noconvert(), "merges"_a.noconvert(), "unknown"_a, "fuse_unknown"_a,
        "byte_fallback"_a, "whole_words_first"_a);
    m.def(
        "unigram_model",
        [](const Bytes& vocabulary, const Ints& ends, const Array<const double>& scores, int unknown,
           bool byte_fallback) {
            return std::shared_ptr<SubwordModel>(
                make_unigram({bytes_of(vocabulary), span_of(ends)}, span_of(scores), unknown, byte_fallback));
        },
        "vocabulary"_a.noconvert(), "ends"_a.noconvert(), "scores"_a.noconvert(), "unknown"_a, "byte_fallback"_a);
}

}  // namespace

void bind_subwords(nb::module_& m) {
    bind_normalizer(m);
    bind_splitter(m);
    bind_models(m);
    nb::class_<Subwords>(m, "Subwords", "Text as an encoder reads it.")
        .def(
            "__init__",
            [](Subwords* self, const Normalizer& normalizer, const Splitter& splitter,
               std::shared_ptr<SubwordModel> model, const std::vector<AddedSpec>& added, int size, int unknown) {
                std::vector<AddedWord> words;
                for (const auto& [text, id, left, right, normalized] : added)
                    words.push_back({characters_of(text), id, left, right, normalized});
                new (self) Subwords(normalizer, splitter, std::move(model), std::move(words), size, unknown);
            },
            "normalizer"_a, "splitter"_a, "model"_a, "added"_a, "size"_a, "unknown"_a)
        .def(
            "cut",
            [](const Subwords& self, const nb::list& texts, int threads) {
                const HeldTexts held(texts);
                return joined(cut_all(held.views(), threads,
                                      [&](std::string_view text, std::vector<int>& ids) { self.cut_line(text, ids); }));
            },
            "texts"_a, "threads"_a, "The ids of lines, and their ends.")
        .def(
            "cut_words",
            [](const Subwords& self, const nb::list& sentences, int threads) {
                HeldTexts held;
                std::int64_t* end;
                auto sentence_ends = new_array<std::int64_t, 1>({sentences.size()}, end);
                for (nb::handle sentence : sentences) {
                    if (!nb::isinstance<nb::list>(sentence)) throw nb::type_error("a sentence is no list of words");
                    held.add(nb::borrow<nb::list>(sentence));
                    *end++ = static_cast<std::int64_t>(held.views().size());
                }
                const auto [ids, ends] =
                    joined(cut_all(held.views(), threads, [&](std::string_view text, std::vector<int>& found) {
                        self.cut_word(text, found);
                    }));
                return std::make_tuple(ids, ends, sentence_ends);
            },
            "sentences"_a, "threads"_a,
            "The ids of words, their ends, and how many words there are to each end of a sentence.");
}
