// arbora._core's taggers: words, stages, tags, from text to text.
#include "tagging.hpp"
#include "interruption.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <climits>

#include "batches.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "outcomes.hpp"
#include "strings.hpp"
#include "support/letters.hpp"
#include "support/parallel.hpp"
#include "tagging/annotate.hpp"
#include "templates.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

WordTemplate template_of(const TemplateSpec& spec) {
    std::vector<WordTemplate::Reference> references;
    for (const auto& [place, offset, name] : std::get<1>(spec)) {
        if (place != "word" || offset <= -Words::reach || offset >= Words::reach)
            throw nb::value_error("there is no such word");
        references.push_back({offset, atom_named(name)});
    }
    return {std::get<0>(spec), references};
}

std::vector<WordTemplate> templates_of(const std::vector<TemplateSpec>& specs) {
    std::vector<WordTemplate> result;
    for (const TemplateSpec& spec : specs) result.push_back(template_of(spec));
    return result;
}

void make_text(TagText* self, nb::list sentences) {
    TagText text;
    std::vector<std::string_view> forms;
    for (nb::handle sentence : sentences) {
        forms.clear();
        for (nb::handle form : nb::cast<nb::list>(sentence)) forms.push_back(text_of(form));
        text.add_sentence(forms);
    }
    new (self) TagText(std::move(text));
}

template <class Each>
void for_words(TagText& text, Each each) {
    for (std::size_t s = 0; s < text.sentences(); ++s)
        for (int word = 0; word < text.sentence(s).count(); ++word) each(text.sentence(s), word, text.start(s) + word);
}

std::u32string decoded(const std::string& text) {
    std::u32string letters;
    decode_utf8(text, letters);
    return letters;
}

// What UPOS tags are as atoms.
std::vector<std::uint64_t> upos_atoms(const std::vector<std::string>& upos) {
    WordView word;
    std::vector<std::uint64_t> result;
    for (const std::string& tag : upos) {
        word.set({.upos = tag});
        result.push_back(value_of(atoms::upos, word));
    }
    return result;
}

// The labels of the second stage: the number of their UPOS, XPOS, FEATS.
using MorphNames = std::vector<std::tuple<std::size_t, std::string, std::string>>;

std::vector<std::uint64_t> morph_atoms(const std::vector<std::string>& upos, const MorphNames& morph) {
    WordView word;
    std::vector<std::uint64_t> result;
    for (const auto& [tag, xpos, feats] : morph) {
        expect_place(tag, upos.size(), "upos");
        word.set({.upos = upos[tag], .xpos = xpos, .feats = feats});
        result.push_back(value_of(atoms::morph, word));
    }
    return result;
}

// A tagger with what it looks at.
struct LoadedTagger {
    nb::object owners;
    Tagger tagger;
    std::shared_ptr<const TagNames> names;
    std::unique_ptr<const LabelsByName> by_name;

    LoadedTagger(nb::tuple classes_and_stages, const std::vector<const LoadedWeights*>& weights,
                 const std::vector<double>& scales, const std::vector<std::string>& upos, const MorphNames& morph)
        : owners(classes_and_stages) {
        TagNames made{upos, {}, {}, {}};
        for (const auto& [tag, xpos, feats] : morph) {
            made.xpos.push_back(xpos);
            made.feats.push_back(feats);
            made.morph_upos.push_back(static_cast<int>(tag));
        }
        names = std::make_shared<const TagNames>(std::move(made));
        by_name = std::make_unique<const LabelsByName>(*names);
        tagger.names = names.get();
        tagger.by_name = by_name.get();
        tagger.label_atoms = {upos_atoms(upos), morph_atoms(upos, morph)};
        expect_length(classes_and_stages.size(), stage_count + 1, "classes_and_stages");
        expect_length(weights.size(), stage_count, "weights");
        expect_length(scales.size(), stage_count, "scales");
        tagger.classes = &nb::cast<const LoadedDictionary&>(classes_and_stages[0]).dictionary;
        for (int s = 0; s < stage_count; ++s) {
            const Stage& stage = nb::cast<const Stage&>(classes_and_stages[s + 1]);
            tagger.stages[s] = {&stage, weights[s]->table(stage.layer.padding()), scales[s]};
        }
        expect_length(names->upos.size(), tagger.stages[upos_stage].stage->layer.labels(), "upos");
        expect_length(names->xpos.size(), tagger.stages[morph_stage].stage->layer.labels(), "morph");
        if (tagger.stages[lemma_stage].stage->scripts.empty()) throw nb::value_error("every label needs a script");
    }

    int tags() const { return static_cast<int>(names->upos.size()); }
};

// Words whose label has no number have no such atom.
void set_labels(TagText& text, Atom atom, const std::vector<std::uint64_t>& values, const Array<const int>& numbers) {
    expect_length(numbers, text.words(), "numbers");
    expect_all_between(numbers.data(), numbers.shape(0), INT_MIN, static_cast<std::ptrdiff_t>(values.size()) - 1,
                       "numbers");
    for_words(text, [&](Words& words, int word, std::size_t at) {
        const int number = numbers.data()[at];
        words.set_atom(word, atom, number < 0 ? 0 : values[static_cast<std::size_t>(number)]);
    });
}

nb::object tag_probabilities(const LoadedTagger& self, const TagText& text, int threads) {
    const int tags = self.tags();
    double* probabilities;
    auto result = new_array<double, 2>({text.words(), static_cast<std::size_t>(tags)}, probabilities);
    std::fill_n(probabilities, text.words() * tags, 0.0);
    {
        const Unlocked unlocked;
        parallel_for(text.sentences(), threads, [&](std::size_t i) {
            thread_local Lattice lattice;
            thread_local std::vector<double> candidates;
            Words words = text.sentence(i);
            fill_tags(self.tagger, words, text.forms(i), text.given(i), lattice);
            sum_paths(lattice, candidates, nullptr);
            for (int word = 0; word < words.count(); ++word)
                for (int c = lattice.starts[word]; c < lattice.starts[word + 1]; ++c)
                    probabilities[(text.start(i) + word) * tags + lattice.labels[c]] = candidates[c];
        });
    }
    return nb::cast(result);
}

// For every sentence the tags of its best rows, and their log-probabilities.
auto kbest_tags(const LoadedTagger& self, const TagText& text, int k, int threads) {
    std::vector<std::vector<std::tuple<std::vector<int>, double>>> result(text.sentences());
    const Unlocked unlocked;
    parallel_for(text.sentences(), threads, [&](std::size_t i) {
        Lattice lattice;
        std::vector<double> candidates;
        Words words = text.sentence(i);
        fill_tags(self.tagger, words, text.forms(i), text.given(i), lattice);
        const double total = sum_paths(lattice, candidates, nullptr);
        for (const ScoredPath& found : best_paths(lattice, k)) {
            std::vector<int> tags;
            for (int word = 0; word < words.count(); ++word)
                tags.push_back(lattice.labels[lattice.starts[word] + found.path[word]]);
            result[i].emplace_back(std::move(tags), found.score - total);
        }
    });
    return result;
}

}  // namespace

void bind_tagging(nb::module_& m) {
    m.attr("word_reach") = Words::reach - 1;
    m.def(
        "lower_case",
        [](const std::string& text) {
            std::string result;
            std::u32string lower;
            lower_word(decoded(text), lower);
            for (char32_t letter : lower) append_utf8(letter, result);
            return result;
        },
        "text"_a, "A word in lower case, as atoms and edit scripts see it.");
    m.def(
        "letter_kind",
        [](const std::string& letter) {
            static constexpr std::array<const char*, 5> names{"other", "upper", "letter", "mark", "digit"};
            const std::u32string letters = decoded(letter);
            expect_length(letters.size(), 1, "letter");
            return std::string(names[static_cast<std::size_t>(letter_kind(letters[0]))]);
        },
        "letter"_a, "What a character is to atoms: upper, letter, mark, digit or other.");
    m.def(
        "upper_case",
        [](const std::string& text) {
            std::string result;
            for (char32_t letter : decoded(text)) append_utf8(to_upper(letter), result);
            return result;
        },
        "text"_a);
    m.def(
        "find_script", [](const std::string& form, const std::string& lemma) { return find_script(form, lemma); },
        "form"_a, "lemma"_a, "The edit script that makes the lemma of the form.");
    m.def(
        "apply_script",
        [](const std::string& script, const std::string& form) -> nb::object {
            std::string lemma;
            if (!EditScript(script).apply(FormLetters(form), lemma)) return nb::none();
            return nb::cast(lemma);
        },
        "script"_a, "form"_a, nb::sig("def apply_script(script: str, form: str) -> str | None"),
        "The lemma, or None if the script does not fit the form.");

    nb::class_<TagText>(m, "TagText", "Sentences as hashes that taggers look at.")
        .def("__init__", &make_text, "sentences"_a, nb::sig("def __init__(self, sentences: list[list[str]]) -> None"),
             "Sentences as lists of forms.")
        .def("__len__", &TagText::sentences)
        .def_prop_ro("words", &TagText::words, "The number of words in all sentences.")
        .def("lengths",
             [](const TagText& self) {
                 std::vector<int> result;
                 for (std::size_t i = 0; i < self.sentences(); ++i) result.push_back(self.sentence(i).count());
                 return result;
             })
        .def("checksum", &TagText::checksum)
        .def(
            "keys",
            [](TagText& self, const TemplateSpec& spec) {
                const WordTemplate key = template_of(spec);
                std::uint64_t* data;
                auto array = new_array<std::uint64_t, 1>({self.words()}, data);
                for_words(self,
                          [&](const Words& words, int word, std::size_t at) { data[at] = key.hash(words, word); });
                return array;
            },
            "template"_a, "The hash of a template at every word.")
        .def(
            "atoms",
            [](TagText& self, const std::string& name) {
                const Atom atom = atom_named(name);
                std::uint64_t* data;
                auto array = new_array<std::uint64_t, 1>({self.words()}, data);
                for_words(self,
                          [&](const Words& words, int word, std::size_t at) { data[at] = words.atom(word, atom); });
                return array;
            },
            "name"_a, "An atom of every word.")
        .def(
            "set_upos",
            [](TagText& self, const std::vector<std::string>& upos, const Array<const int>& numbers) {
                set_labels(self, atoms::upos, upos_atoms(upos), numbers);
            },
            "upos"_a, "numbers"_a, "What the first stage found, or should find: tags, and the number of each word's.")
        .def(
            "set_morph",
            [](TagText& self, const std::vector<std::string>& upos, const MorphNames& morph,
               const Array<const int>& numbers) { set_labels(self, atoms::morph, morph_atoms(upos, morph), numbers); },
            "upos"_a, "morph"_a, "numbers"_a, "What the second stage found, or should find.")
        .def(
            "set_given",
            [](TagText& self, std::vector<std::array<std::string, 3>> tags) {
                expect_length(tags.size(), self.words(), "tags");
                self.set_given(std::move(tags));
            },
            "tags"_a, "UPOS, XPOS and FEATS that each word has already, or `_`.")
        .def(
            "set_classes",
            [](TagText& self, const LoadedDictionary& classes) {
                for (std::size_t i = 0; i < self.sentences(); ++i) set_classes(classes.dictionary, self.sentence(i));
            },
            "classes"_a);
    nb::class_<LoadedDictionary>(m, "TagDictionary", "Lists of labels by hashes.")
        .def(nb::init<Array<const std::uint64_t>, Array<const std::uint32_t>, Array<const std::uint16_t>, int>(),
             "keys"_a, "starts"_a, "lists"_a, "labels"_a);
    StageClass stage(m, "TagStage", "A stage of a tagger without its weights.");
    stage
        .def(
            "__init__",
            [](Stage* self, const std::map<std::string, std::vector<TemplateSpec>>& templates,
               const std::vector<std::vector<int>>& pieces, int piece_count, const LoadedDictionary& dictionary,
               const std::vector<int>& open, int most, const std::vector<std::string>& scripts) {
                if (!scripts.empty()) expect_length(scripts.size(), pieces.size(), "scripts");
                std::vector<EditScript> parsed;
                for (const std::string& script : scripts) parsed.emplace_back(script);
                const auto of = [&templates](const char* kind) {
                    const auto found = templates.find(kind);
                    if (found == templates.end())
                        throw nb::value_error((std::string("templates: there are no ") + kind).c_str());
                    return templates_of(found->second);
                };
                new (self) Stage{Layer({of("labels"), of("bigrams"), of("trigrams"), of("candidates")}, pieces,
                                       piece_count, dictionary.dictionary, open, most),
                                 std::move(parsed)};
            },
            "templates"_a, "pieces"_a, "piece_count"_a, "dictionary"_a, "open"_a, "most"_a, "scripts"_a,
            nb::keep_alive<1, 5>())
        .def_prop_ro(
            "padding", [](const Stage& self) { return self.layer.padding(); },
            "How many weights follow the table's power of two.");
    bind_stage_training(stage);

    nb::class_<LoadedTagger>(m, "Tagger", "A tagger with its weights.")
        .def(nb::init<nb::tuple, const std::vector<const LoadedWeights*>&, const std::vector<double>&,
                      const std::vector<std::string>&, const MorphNames&>(),
             "classes_and_stages"_a, "weights"_a, "scales"_a, "upos"_a, "morph"_a, nb::keep_alive<1, 3>())
        .def(
            "annotate",
            [](const LoadedTagger& self, treebank::Batch& batch, bool probabilities, int candidates, double least,
               bool keep, int threads, bool lemmas_alone) {
                const Unlocked unlocked;
                annotate(self.tagger, self.names, {probabilities, candidates, least}, keep, lemmas_alone, threads,
                         batch);
            },
            "batch"_a, "probabilities"_a, "candidates"_a, "least"_a, "keep"_a, "threads"_a, "lemmas_alone"_a = false,
            "Sets tags and lemmas of all words of a batch; with `keep` only those that are `_`. Or lemmas alone, by "
            "the "
            "tags that are there.")
        .def("probabilities", &tag_probabilities, "text"_a, "threads"_a,
             nb::sig("def probabilities(self, text: TagText, threads: int) -> typing.Any"),
             "Of every tag of every word.")
        .def(
            "lattice",
            [](const LoadedTagger& self, const TagText& text, std::size_t sentence) {
                expect_place(sentence, text.sentences(), "sentence");
                Lattice lattice;
                Words words = text.sentence(sentence);
                fill_tags(self.tagger, words, text.forms(sentence), text.given(sentence), lattice);
                return nb::make_tuple(array_of(lattice.starts), array_of(lattice.labels), array_of(lattice.local),
                                      array_of(lattice.triples));
            },
            "text"_a, "sentence"_a,
            nb::sig("def lattice(self, text: TagText, sentence: int) "
                    "-> tuple[typing.Any, typing.Any, typing.Any, typing.Any]"),
            "The chain of tags: where the candidates of each word begin, the candidates, their scores, those of "
            "triples. The last place is the end.")
        .def("kbest", &kbest_tags, "text"_a, "k"_a, "threads"_a);
}
