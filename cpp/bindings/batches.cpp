// arbora._core's Batch: sentences in memory, on their way through components.
#include "batches.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <utility>

#include "bindings.hpp"
#include "checks.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"
#include "strings.hpp"
#include "support/parallel.hpp"
#include "treebank/constituents.hpp"
#include "treebank/forbidden.hpp"
#include "treebank/rendering.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;
using namespace arbora::treebank;

// ---- from Python ----

// Columns of Sentence, in the order of its constructor.
constexpr int form_item = 0, head_item = 5, misc_item = 8, comment_item = 9, multiword_item = 10, node_item = 11,
              newline_item = 12, closing_item = 13, item_count = 14;

constexpr const char* item_names[] = {"forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc"};

PyObject* checked_list(nb::handle columns, int item) {
    PyObject* list = PyTuple_GET_ITEM(columns.ptr(), item);
    if (!PyList_Check(list)) throw nb::value_error("the columns of a sentence must be lists");
    return list;
}

// Nine fields, FORM to MISC, from the place `first` of a tuple.
Row row_of(nb::handle fields, int first, std::string_view id, TextArena& texts) {
    Row row{id};
    for (int column = 1; column < kColumns; ++column) row[column] = texts.add(text_of(fields[first + column - 1]));
    return row;
}

void read_words(nb::handle columns, AnnotatedSentence& sentence) {
    PyObject* lists[misc_item + 1];
    for (int item = form_item; item <= misc_item; ++item) {
        lists[item] = checked_list(columns, item);
        expect_length(PyList_GET_SIZE(lists[item]), PyList_GET_SIZE(lists[form_item]), item_names[item]);
    }
    const auto count = static_cast<std::size_t>(PyList_GET_SIZE(lists[form_item]));
    sentence.block.words.resize(count);
    sentence.block.heads.assign(count, kUnknownHead);
    for (std::size_t word = 0; word < count; ++word)
        for (int item = form_item; item <= misc_item; ++item) {
            PyObject* value = PyList_GET_ITEM(lists[item], static_cast<Py_ssize_t>(word));
            if (item != head_item) {
                const std::string_view text = text_of(value);
                // Most columns of most words are `_`, which need not be copied.
                sentence.block.words[word][item + 1] = text == "_" ? std::string_view("_") : sentence.texts->add(text);
            } else if (value != Py_None) {
                sentence.block.heads[word] = nb::cast<std::int32_t>(nb::handle(value));
            }
        }
}

void read_sentence(nb::handle columns, AnnotatedSentence& sentence) {
    if (!PyTuple_Check(columns.ptr()) || PyTuple_GET_SIZE(columns.ptr()) != item_count)
        throw nb::value_error("a sentence must be a tuple of its columns");
    TextArena& texts = *sentence.texts;
    read_words(columns, sentence);
    for (nb::handle comment : nb::borrow<nb::list>(checked_list(columns, comment_item)))
        sentence.block.comments.push_back(texts.add(text_of(comment)));
    for (nb::handle each : nb::borrow<nb::list>(checked_list(columns, multiword_item))) {
        const auto first = nb::cast<std::int32_t>(each[0]), last = nb::cast<std::int32_t>(each[1]);
        const std::string_view id = texts.add(std::to_string(first) + "-" + std::to_string(last));
        sentence.block.multiwords.push_back({first, last, 0, row_of(each, 2, id, texts)});
    }
    for (nb::handle each : nb::borrow<nb::list>(checked_list(columns, node_item))) {
        const auto after = nb::cast<std::int32_t>(each[0]), index = nb::cast<std::int32_t>(each[1]);
        const std::string_view id = texts.add(std::to_string(after) + "." + std::to_string(index));
        sentence.block.empty_nodes.push_back({after, index, nb::cast<bool>(each[11]), row_of(each, 2, id, texts)});
    }
    sentence.block.crlf = text_of(columns[newline_item]) == "\r\n";
    sentence.block.closing = texts.add(text_of(columns[closing_item]));
}

BatchPointer batch_of(nb::list sentences,
                      const std::optional<std::vector<std::tuple<std::int64_t, std::int64_t, bool>>>& places) {
    Batch batch;
    batch.sentences.resize(sentences.size());
    if (places) expect_length(places->size(), sentences.size(), "places");
    std::size_t at = 0;
    for (nb::handle columns : sentences) {
        if (places) {
            const auto& [line, number, has_word_lines] = (*places)[at];
            batch.sentences[at].place = {line, number, has_word_lines};
        }
        read_sentence(columns, batch.sentences[at++]);
    }
    return hold(std::move(batch));
}

// ---- to Python ----

// All strings are made under the GIL, so one cache serves; it is never freed, as Python may be gone when it would be.
Strings& shared_strings() {
    static Strings& strings = *new Strings;
    return strings;
}

nb::object shared(std::string_view text) { return nb::steal(shared_strings().get(text)); }

nb::list column(const Block& block, int which) {
    return make_list(block.words.size(), [&](std::size_t i) { return shared_strings().get(block.words[i][which]); });
}

nb::list misc_of(const AnnotatedSentence& sentence) {
    std::string text;
    return make_list(sentence.words(), [&](std::size_t i) {
        text.clear();
        append_misc(sentence, i, text);
        return shared_strings().get(text);
    });
}

nb::tuple fields_of(const Row& row) {
    return nb::make_tuple(shared(row[1]), shared(row[2]), shared(row[3]), shared(row[4]), shared(row[5]),
                          shared(row[6]), shared(row[7]), shared(row[8]), shared(row[9]));
}

// In the order of the constructor of Sentence, as the decoder of CoNLL-U gives them too.
nb::tuple columns_of(const AnnotatedSentence& sentence) {
    const Block& block = sentence.block;
    nb::list comments, multiwords, nodes;
    for_comments(sentence, [&](std::string_view comment) { comments.append(nb::steal(decode_utf8(comment))); });
    for (const Multiword& each : block.multiwords)
        multiwords.append(nb::make_tuple(each.first, each.last) + fields_of(each.row));
    for (const EmptyNode& each : block.empty_nodes)
        nodes.append(nb::make_tuple(each.after, each.index) + fields_of(each.row) + nb::make_tuple(each.inside));
    const auto heads = make_list(block.heads.size(), [&](std::size_t i) {
        return block.heads[i] < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(block.heads[i]);
    });
    return nb::make_tuple(column(block, 1), column(block, 2), column(block, 3), column(block, 4), column(block, 5),
                          heads, column(block, 7), column(block, 8), misc_of(sentence), comments, multiwords, nodes,
                          shared(block.crlf ? "\r\n" : "\n"), shared(block.closing));
}

// What was found beside the columns, by the names of MISC and comments; None if there is nothing.
nb::object findings_of(const AnnotatedSentence& sentence) {
    nb::dict result;
    for (const WordNumbers& numbers : sentence.numbers) result[shared(numbers.name)] = array_of(numbers.values);
    for (const Note& note : sentence.notes)
        result[shared(note.name)] =
            note.kind == NoteKind::count ? nb::cast(static_cast<int>(note.value)) : nb::cast(note.value);
    if (!sentence.spans.empty()) {
        nb::list spans;
        for (const TextSpan& span : sentence.spans) spans.append(nb::make_tuple(span.begin, span.end));
        result["spans"] = spans;
    }
    if (sentence.certainty != 1) result["certainty"] = sentence.certainty;
    if (has_constituent_probabilities(sentence)) {
        std::vector<double> values;
        for (const Constituent& each : sentence.constituents) values.push_back(each.probability);
        result[shared(constituent_probabilities_note)] = array_of(values);
    }
    if (!sentence.tag_candidates.empty()) {
        nb::list words;
        for (const auto& listed : sentence.tag_candidates) {
            nb::list own;
            for (const TagCandidate& each : listed) own.append(nb::make_tuple(shared(each.tag), each.probability));
            words.append(own);
        }
        result[shared(candidates_key)] = words;
    }
    if (result.size() == 0) return nb::none();
    return result;
}

nb::list sentences_of(const Batch& batch, std::size_t count) {
    const NoCollections guard;
    nb::list result;
    for (std::size_t i = 0; i < std::min(count, batch.sentences.size()); ++i)
        result.append(nb::make_tuple(columns_of(batch.sentences[i]), findings_of(batch.sentences[i])));
    return result;
}

nb::bytes conllu_of(const Batch& batch, std::size_t count, int threads) {
    std::vector<std::string> texts(std::min(count, batch.sentences.size()));
    {
        const Unlocked unlocked;
        parallel_for(texts.size(), threads, [&](std::size_t i) { append_conllu(batch.sentences[i], texts[i]); });
    }
    return joined_bytes(texts);
}

// ---- changes from Python ----

void set_tree(Batch& batch, std::size_t place, const std::vector<int>& heads, const std::vector<std::string>& labels,
              const std::optional<std::vector<std::string>>& deps) {
    AnnotatedSentence& sentence = sentence_at(batch, place);
    expect_length(heads.size(), sentence.words(), "heads");
    expect_length(labels.size(), sentence.words(), "labels");
    if (deps) expect_length(deps->size(), sentence.words(), "deps");
    expect_all_between(heads.data(), heads.size(), 0, static_cast<std::ptrdiff_t>(heads.size()), "heads");
    for (std::size_t word = 0; word < heads.size(); ++word) {
        Row& row = sentence.block.words[word];
        if (deps)
            row[8] = sentence.texts->add((*deps)[word]);
        else if (sentence.block.heads[word] != heads[word])
            row[8] = "_";
        sentence.block.heads[word] = heads[word];
        row[7] = sentence.texts->add(labels[word]);
    }
}

std::size_t characters(const Batch& batch) {
    const auto begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
    std::size_t result = 0;
    for (const AnnotatedSentence& sentence : batch.sentences)
        for (const Row& row : sentence.block.words)
            result += static_cast<std::size_t>(std::count_if(row[1].begin(), row[1].end(), begins));
    return result;
}

nb::list split(Batch& batch, const std::vector<std::size_t>& counts) {
    std::size_t total = 0;
    for (std::size_t count : counts) total += std::min(count, batch.sentences.size() + 1);  // lest it overflow
    expect_length(total, batch.sentences.size(), "counts");
    nb::list result;
    auto from = batch.sentences.begin();
    for (std::size_t count : counts) {
        Batch part;
        const auto to = from + static_cast<std::ptrdiff_t>(count);
        part.sentences.assign(std::move_iterator(from), std::move_iterator(to));
        part.owners = batch.owners;
        from = to;
        result.append(hold(std::move(part)));
    }
    batch = Batch();
    return result;
}

}  // namespace

void bind_batches(nb::module_& m) {
    const auto everything = static_cast<std::size_t>(-1);
    nb::class_<Batch> batches(m, "Batch", "Sentences in memory, on their way through components.");
    batches.def(nb::init<>())
        .def("__len__", [](const Batch& self) { return self.sentences.size(); })
        .def("words", &Batch::words, "count"_a = everything, "The number of words in the first sentences.")
        .def_prop_ro("sound", &Batch::sound, "How many sentences come before the first one that was refused.")
        .def_prop_ro(
            "refusal",
            [](const Batch& self) -> std::optional<std::tuple<std::string, std::string, int>> {
                const std::size_t at = self.sound();
                if (at == self.sentences.size()) return std::nullopt;
                const Refusal& found = self.sentences[at].refusal;
                return std::make_tuple(std::string(found.code), found.reason, found.word);
            },
            "Why the first sentence that was refused was so: a code, a reason, and the word that is it or 0; None if "
            "none was.")
        .def("to_conllu", &conllu_of, "count"_a = everything, "threads"_a = 1, "The first sentences as CoNLL-U.")
        .def("to_sentences", &sentences_of, "count"_a = everything,
             nb::sig("def to_sentences(self, count: int = ...) -> list[tuple[typing.Any, typing.Any]]"),
             "The first sentences as columns, in the order of Sentence's constructor, and what was found beside them.")
        .def(
            "columns", [](Batch& self, std::size_t sentence) { return columns_of(sentence_at(self, sentence)); },
            "sentence"_a, nb::sig("def columns(self, sentence: int) -> typing.Any"), "The same of one sentence.")
        .def(
            "append",
            [](Batch& self, Batch& other) {
                std::move(other.sentences.begin(), other.sentences.end(), std::back_inserter(self.sentences));
                std::move(other.owners.begin(), other.owners.end(), std::back_inserter(self.owners));
                other = Batch();
            },
            "other"_a, "Takes over the sentences of another batch, which has none then.")
        .def("split", &split, "counts"_a, nb::sig("def split(self, counts: list[int]) -> list[Batch]"),
             "Batches of so many sentences each, in order; this one has none then.")
        .def_prop_ro(
            "lengths",
            [](const Batch& self) {
                std::vector<std::size_t> result;
                for (const AnnotatedSentence& sentence : self.sentences) result.push_back(sentence.words());
                return result;
            },
            nb::sig("def lengths(self) -> list[int]"), "How many words each sentence has.")
        .def_prop_ro("characters", &characters, "How many characters the forms of all words have.")
        .def(
            "refuse",
            [](Batch& self, std::size_t sentence, const std::string& reason, bool too_long, int word) {
                sentence_at(self, sentence).refusal = {too_long ? "too-long" : "infeasible", reason, word};
            },
            "sentence"_a, "reason"_a, "too_long"_a = false, "word"_a = 0, "Says why a sentence has no tree.")
        .def(
            "read_forbidden",
            [](Batch& self) {
                for (AnnotatedSentence& sentence : self.sentences) read_forbidden(sentence);
            },
            "Reads what MISC forbids (ForbiddenHeads=2,5); a sentence in which that makes no sense is refused.")
        .def(
            "forbidden",
            [](Batch& self, std::size_t sentence) {
                std::vector<std::tuple<int, int>> result;
                for (const ForbiddenArc& arc : sentence_at(self, sentence).forbidden)
                    result.emplace_back(arc.head, arc.modifier);
                return result;
            },
            "sentence"_a, "The arcs of a sentence that `read_forbidden` found, as (head, modifier).")
        .def(
            "is_refused",
            [](Batch& self, std::size_t sentence) { return sentence_at(self, sentence).refusal.code != nullptr; },
            "sentence"_a, "Whether a component could do nothing for a sentence.")
        .def(
            "remove",
            [](Batch& self, std::size_t sentence) {
                sentence_at(self, sentence);
                self.sentences.erase(self.sentences.begin() + static_cast<std::ptrdiff_t>(sentence));
            },
            "sentence"_a, "Takes a sentence out.")
        .def(
            "place",
            [](Batch& self, std::size_t sentence) {
                const FilePlace& place = sentence_at(self, sentence).place;
                return std::make_tuple(place.line, place.number, place.has_word_lines);
            },
            "sentence"_a,
            "The line of the file that a sentence begins at, and which one it is, from 1; 0 if it comes from none; and "
            "whether its words have lines of their own.")
        .def("set_tree", &set_tree, "sentence"_a, "heads"_a, "labels"_a, "deps"_a = nb::none(),
             "Gives a sentence another tree, and enhanced dependencies; without them, words with another head lose "
             "theirs.")
        .def(
            "set_gap",
            [](Batch& self, std::size_t sentence, double gap, bool rounded) {
                const NoteKind kind = rounded ? NoteKind::rounded : NoteKind::certificate;
                sentence_at(self, sentence).add_note({"certificate", kind, gap});
            },
            "sentence"_a, "gap"_a, "rounded"_a = false,
            "Says by how much the score of a sentence's tree may be less than the best.");
    bind_constituents(batches);
    m.def(
        "make_batch", &batch_of, "sentences"_a, "places"_a = nb::none(),
        nb::sig(
            "def make_batch(sentences: list[typing.Any], places: list[tuple[int, int, bool]] | None = None) -> Batch"),
        "A batch of sentences that are given as tuples of their columns, in the order of Sentence's constructor; and "
        "their lines and numbers in a file, if they come from one.");
    m.def(
        "read_batch",
        [](nb::bytes data, bool final, int threads, std::pair<std::int64_t, std::int64_t> place, TreeCheck check,
           bool skip) {
            const auto text = std::make_shared<const std::string>(data.c_str(), data.size());
            ReadBatch found;
            {
                const Unlocked unlocked;
                found = read_conllu(*text, text, {final, check, skip, {place.first, place.second}, threads});
            }
            std::vector<std::tuple<std::size_t, std::size_t, std::int64_t, std::int64_t>> broken;
            for (const BrokenSentence& each : found.broken)
                broken.emplace_back(each.begin, each.begin + each.bytes, each.place.line, each.place.number);
            return nb::make_tuple(hold(std::move(found.batch)), found.bytes,
                                  std::make_pair(found.next.line, found.next.number), broken);
        },
        "data"_a, "final"_a, "threads"_a, "place"_a, "check"_a, "skip"_a,
        nb::sig("def read_batch(data: bytes, final: bool, threads: int, place: tuple[int, int], check: TreeCheck, "
                "skip: bool) -> tuple[Batch, int, tuple[int, int], list[tuple[int, int, int, int]]]"),
        "The whole sentences at the start of CoNLL-U, which begins at this place of a file (line and number of the "
        "sentence, from 1), up to the first that breaks the format, or with `skip` all others: a batch, the bytes that "
        "it "
        "took, the place after them, and begin, end, line and number of sentences that break the format.");
}
