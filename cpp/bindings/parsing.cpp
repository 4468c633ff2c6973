// arbora._core's parsing classes: encoded sentences, the first-order model, its trainer.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "linear/hashing.hpp"
#include "parsing/parse.hpp"
#include "parsing/stream.hpp"
#include "parsing/training.hpp"
#include "support/parallel.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// ---- sentences ----

std::string_view text_of(PyObject* object) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(object, &size);
    if (!data) nb::raise_python_error();
    return {data, static_cast<std::size_t>(size)};
}

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

// ---- templates ----

// (seed, sides: head, modifier, between, third, fourth; arc atoms, alone, direction, distance); sides are lists of
// (offset, atom).
using SideSpec = std::vector<std::tuple<int, int>>;
using TemplateSpec = std::tuple<std::uint64_t, std::vector<SideSpec>, std::vector<int>, bool, bool, bool>;

std::vector<Reference> references(const SideSpec& side) {
    std::vector<Reference> result;
    for (const auto& [offset, atom] : side) {
        if (atom < 0 || atom > single_atoms) throw nb::value_error("there is no such atom");
        result.push_back({offset, static_cast<Atom>(atom)});
    }
    return result;
}

// Sections in the order of Section.
Templates templates_of(const std::vector<std::vector<TemplateSpec>>& sections) {
    if (sections.size() != section_count) throw nb::value_error("there must be one list for each section");
    Templates result;
    for (int section = 0; section < section_count; ++section)
        for (const auto& [seed, sides, arc, alone, direction, distance] : sections[section]) {
            if (sides.size() != 5) throw nb::value_error("a template has five sides");
            std::vector<ArcAtom> atoms;
            for (int atom : arc) atoms.push_back(static_cast<ArcAtom>(atom));
            result.add(static_cast<Section>(section),
                       {seed, references(sides[0]), references(sides[1]), references(sides[2]), references(sides[3]),
                        references(sides[4]), atoms, alone, direction, distance});
        }
    return result;
}

// A parser without its weights.
struct Structure {
    Templates templates;
    Pruner pruner;
    FirstOrder model;
    HigherOrder higher;
    GraphOptions graph;

    Structure(const std::vector<std::vector<TemplateSpec>>& sections, double threshold, int most,
              const std::vector<bool>& at_root, const std::vector<bool>& below_words, double tree_scale,
              double label_scale, double joint_scale)
        : templates(templates_of(sections)),
          pruner(templates, threshold, most),
          model(templates, {at_root.begin(), at_root.end()}, {below_words.begin(), below_words.end()},
                {tree_scale, label_scale, joint_scale}),
          higher(templates) {}
};

Parser parser_of(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights) {
    return {structure.templates, structure.pruner, pruner_weights.table(0), structure.model, structure.higher,
            weights.table(structure.model.labeler().padding())};
}

template <class Task>
void for_sentences(std::size_t count, int threads, Task task) {
    nb::gil_scoped_release release;
    parallel_for(count, threads, [&](std::size_t i) {
        try {
            task(i);
        } catch (const Infeasible& error) {
            throw Infeasible("sentence " + std::to_string(i) + " of the batch: " + error.what());
        }
    });
}

struct Arcs {
    std::vector<std::vector<Arc>> of;
};

std::unique_ptr<Arcs> choose_batch(const Structure& structure, const HeldWeights& weights, const Encoded& encoded,
                                   const Array<const int>& also, bool single_root, bool projective, int threads) {
    auto result = std::make_unique<Arcs>();
    result->of.resize(encoded.sentences());
    const ShortWeights w = weights.table(0);
    for_sentences(encoded.sentences(), threads, [&](std::size_t i) {
        thread_local Prepared prepared;
        prepared.set(structure.templates, encoded, i, bit_of(Section::pruner));
        result->of[i] = structure.pruner.choose(prepared, w, {}, {single_root, projective},
                                                also.shape(0) ? also.data() + encoded.start(i) - 1 : nullptr);
    });
    return result;
}

void parse_batch(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights,
                 const Encoded& encoded, const Array<const int>& given_heads, const Array<const int>& given_labels, bool single_root,
                 bool projective, bool least_risk, int threads, const Array<int>& heads, const Array<int>& labels,
                 const Array<double>& head_probabilities, const Array<double>& label_probabilities,
                 const Array<double>& log_probabilities) {
    const Parser parser = parser_of(structure, weights, pruner_weights);
    const ParseOptions options{{single_root, projective}, least_risk ? Decoder::least_risk : Decoder::best,
                               log_probabilities.shape(0) > 0, structure.graph};
    if (heads.shape(0) < encoded.words() || labels.shape(0) < encoded.words())
        throw nb::value_error("too small a place for the trees");
    for_sentences(encoded.sentences(), threads, [&](std::size_t i) {
        const std::size_t start = encoded.start(i);
        const int n = encoded.length(i);
        std::vector<int> h(n + 1, -1), l(n + 1, -1);
        std::vector<double> hp(n + 1), lp(n + 1);
        ParseRef result{h.data(), l.data(), hp.data(), lp.data(), 0};
        parse(parser, encoded, i,
              {given_heads.shape(0) ? given_heads.data() + start - 1 : nullptr,
               given_labels.shape(0) ? given_labels.data() + start - 1 : nullptr},
              options, result);
        std::copy(h.begin() + 1, h.end(), heads.data() + start);
        std::copy(l.begin() + 1, l.end(), labels.data() + start);
        if (!options.probabilities) return;
        std::copy(hp.begin() + 1, hp.end(), head_probabilities.data() + start);
        std::copy(lp.begin() + 1, lp.end(), label_probabilities.data() + start);
        log_probabilities.data()[i] = result.log_probability;
    });
}

nb::list kbest_batch(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights,
                     const Encoded& encoded,
                     const Array<const int>& given_heads, const Array<const int>& given_labels, bool single_root,
                     bool projective, int threads, int k) {
    const Parser parser = parser_of(structure, weights, pruner_weights);
    std::vector<std::vector<LabelledTree>> found(encoded.sentences());
    for_sentences(encoded.sentences(), threads, [&](std::size_t i) {
        const std::size_t start = encoded.start(i);
        found[i] = parse_kbest(parser, encoded, i,
                               {given_heads.shape(0) ? given_heads.data() + start - 1 : nullptr,
                                given_labels.shape(0) ? given_labels.data() + start - 1 : nullptr},
                               {single_root, projective}, k);
    });
    nb::list result;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t n = encoded.length(i);
        int *heads, *labels;
        double* scores;
        auto all_heads = new_array<int, 2>({found[i].size(), n}, heads);
        auto all_labels = new_array<int, 2>({found[i].size(), n}, labels);
        auto all_scores = new_array<double, 1>({found[i].size()}, scores);
        for (std::size_t t = 0; t < found[i].size(); ++t) {
            std::copy_n(found[i][t].heads.begin() + 1, n, heads + t * n);
            std::copy_n(found[i][t].labels.begin() + 1, n, labels + t * n);
            scores[t] = found[i][t].score;
        }
        result.append(nb::make_tuple(std::move(all_heads), std::move(all_labels), std::move(all_scores)));
    }
    return result;
}

// (bytes used, text, sentences, words, lines, whether the next sentence cannot be parsed, why it has no tree).
nb::tuple parse_text(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights,
                     const std::vector<std::string>& labels, nb::bytes data,
                     bool final, bool single_root, bool projective, bool least_risk, bool probabilities,
                     bool constraints, int threads) {
    const Parser parser = parser_of(structure, weights, pruner_weights);
    if (static_cast<int>(labels.size()) != structure.model.labels()) throw nb::value_error("every label needs a name");
    const Decoder decoder = least_risk ? Decoder::least_risk : Decoder::best;
    const StreamOptions options{{{single_root, projective}, decoder, probabilities, structure.graph}, constraints, threads};
    const std::string_view text(data.c_str(), data.size());
    ParsedText found;
    std::size_t size = 0;
    {
        nb::gil_scoped_release release;
        found = parse_conllu(parser, LabelNames(labels), text, final, options);
        for (const std::string& sentence : found.sentences) size += sentence.size();
    }
    nb::bytes result = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!result.is_valid()) throw nb::python_error();
    char* at = PyBytes_AS_STRING(result.ptr());
    for (const std::string& sentence : found.sentences) at = std::copy(sentence.begin(), sentence.end(), at);
    return nb::make_tuple(found.bytes, result, found.sentences.size(), found.words, found.lines, found.stopped,
                          found.no_tree_because);
}

// ---- raw scores, for tests ----

using LearnedWeights = Array<const float>;

Weights table_of(const LearnedWeights& weights, std::size_t extra) {
    const std::size_t size = weights.shape(0) - extra;
    if (weights.shape(0) <= extra || (size & (size - 1)) || size < 16)
        throw nb::value_error("the weights are not a power of two and a block of labels");
    return {weights.data(), static_cast<std::uint32_t>(size - 1)};
}

ShortWeights table_of(const HeldWeights& weights, std::size_t extra) { return weights.table(extra); }

using ArcSpec = std::vector<std::tuple<int, int>>;  // head and modifier

// A sentence prepared for all templates; `heads` of words 1..n, or none where no tree is looked at.
Prepared prepare(const Structure& structure, const Encoded& encoded, std::size_t sentence, std::vector<int> heads) {
    if (sentence >= encoded.sentences()) throw nb::index_error("there are fewer sentences");
    Prepared prepared;
    prepared.set(structure.templates, encoded, sentence, ~0u);
    if (heads.empty()) return prepared;
    if (static_cast<int>(heads.size()) != prepared.n()) throw nb::value_error("every word needs a head");
    heads.insert(heads.begin(), -1);
    prepared.set_tree(structure.templates, encoded, sentence, heads.data());
    return prepared;
}

std::vector<Arc> arcs_of(const ArcSpec& spec, int n) {
    std::vector<Arc> result;
    for (const auto& [head, modifier] : spec) {
        if (head < 0 || head > n || modifier < 1 || modifier > n || head == modifier)
            throw nb::value_error("there is no such arc");
        result.push_back({head, modifier});
    }
    return result;
}

template <class AnyWeights>
std::vector<float> arc_scores(const Structure& structure, bool of_pruner, const AnyWeights& weights,
                              const Encoded& encoded, std::size_t sentence, const ArcSpec& spec) {
    const Prepared prepared = prepare(structure, encoded, sentence, {});
    const ArcFeatures& features = of_pruner ? structure.pruner.features() : structure.model.arcs();
    const auto table = table_of(weights, of_pruner ? 0 : structure.model.labeler().padding());
    const auto width = static_cast<std::size_t>(prepared.width());
    std::vector<float> scores(spec.empty() ? width * width : spec.size());
    if (spec.empty())
        features.score(prepared, table, scores.data());
    else
        features.score(prepared, table, arcs_of(spec, prepared.n()), scores.data());
    return scores;
}

template <class AnyWeights>
std::vector<std::vector<float>> label_scores(const Structure& structure, bool of_labeler,
                                             const AnyWeights& weights, const Encoded& encoded,
                                             std::size_t sentence, const std::vector<int>& heads,
                                             const ArcSpec& spec) {
    const Prepared prepared = prepare(structure, encoded, sentence, heads);
    const LabelFeatures& features = of_labeler ? structure.model.labeler() : structure.model.joint_labels();
    const auto stride = static_cast<std::size_t>(features.stride());
    std::vector<float> scores(spec.size() * stride);
    features.score(prepared, table_of(weights, features.padding()), arcs_of(spec, prepared.n()), scores.data());
    std::vector<std::vector<float>> result;
    for (std::size_t a = 0; a < spec.size(); ++a)
        result.emplace_back(scores.begin() + a * stride, scores.begin() + a * stride + features.labels());
    return result;
}

template <class AnyWeights>
std::vector<float> sibling_scores(const Structure& structure, const AnyWeights& weights,
                                  const Encoded& encoded, std::size_t sentence, const std::vector<int>& heads,
                                  int head) {
    const Prepared prepared = prepare(structure, encoded, sentence, heads);
    if (head < 0 || head > prepared.n()) throw nb::value_error("there is no such head");
    const LabelFeatures& features = structure.model.labeler();
    std::vector<float> scores(static_cast<std::size_t>(features.states()) * features.states());
    features.score_siblings(prepared, table_of(weights, features.padding()), head, scores.data());
    return scores;
}

}  // namespace

void bind_parsing(nb::module_& m) {
    nb::class_<Encoded>(m, "Encoded", "Sentences as hashes of their columns.")
        .def("__len__", &Encoded::sentences)
        .def_prop_ro("words", &Encoded::words, "The number of words in all sentences.")
        .def("lengths", [](const Encoded& self) {
            std::vector<int> result;
            for (std::size_t i = 0; i < self.sentences(); ++i) result.push_back(self.length(i));
            return result;
        })
        .def("first", [](const Encoded& self, std::size_t count) {
            if (count > self.sentences()) throw nb::index_error("there are fewer sentences");
            return self.first(count);
        }, "count"_a)
        .def("checksum", &Encoded::checksum);
    m.def("hash_text", [](const std::string& text) { return hash_text(text, 0); }, "text"_a);
    m.def("encode", &encode, "sentences"_a,
          nb::sig("def encode(sentences: list[tuple[list[str], list[str], list[str], list[str], list[str]]]) -> Encoded"));

    nb::class_<Arcs>(m, "Arcs", "Candidate arcs of sentences.")
        .def_prop_ro("count", [](const Arcs& arcs) {
            std::size_t total = 0;
            for (const auto& each : arcs.of) total += each.size();
            return total;
        })
        .def("of", [](const Arcs& arcs, std::size_t sentence) {
            ArcSpec result;
            for (const Arc& arc : arcs.of.at(sentence)) result.emplace_back(arc.head, arc.modifier);
            return result;
        }, "sentence"_a, "A sentence's arcs as (head, modifier).");
    nb::class_<Structure>(m, "FirstOrder", "A first-order parser without its weights.")
        .def(nb::init<const std::vector<std::vector<TemplateSpec>>&, double, int, const std::vector<bool>&,
                      const std::vector<bool>&, double, double, double>(),
             "sections"_a, "threshold"_a, "most"_a, "at_root"_a, "below_words"_a, "tree_scale"_a = 1.0,
             "label_scale"_a = 1.0, "joint_scale"_a = 0.0)
        .def_prop_ro("padding", [](const Structure& self) { return self.model.labeler().padding(); },
                     "How many weights follow the table's power of two.")
        .def("set_graph", [](Structure& self, int solver, int iterations, int propagations, int constraint) {
            self.graph = {static_cast<GraphSolver>(solver), iterations, propagations,
                          static_cast<TreeConstraint>(constraint)};
        }, "solver"_a, "iterations"_a, "propagations"_a, "constraint"_a)
        .def("choose", &choose_batch, "weights"_a, "encoded"_a, "also"_a, "single_root"_a, "projective"_a, "threads"_a)
        .def("parse", &parse_batch, "weights"_a, "pruner_weights"_a, "encoded"_a, "given_heads"_a,
             "given_labels"_a, "single_root"_a, "projective"_a, "least_risk"_a, "threads"_a, "heads"_a, "labels"_a,
             "head_probabilities"_a, "label_probabilities"_a, "log_probabilities"_a)
        .def("parse_conllu", &parse_text, "weights"_a, "pruner_weights"_a, "labels"_a, "data"_a, "final"_a,
             "single_root"_a, "projective"_a, "least_risk"_a, "probabilities"_a, "constraints"_a, "threads"_a,
             nb::sig("def parse_conllu(self, weights: typing.Any, pruner_weights: typing.Any, labels: list[str], "
                     "data: bytes, final: bool, single_root: bool, projective: bool, least_risk: bool, "
                     "probabilities: bool, constraints: bool, threads: int) "
                     "-> tuple[int, bytes, int, int, int, bool, str]"),
             "The text of the whole sentences at the start of the data, with trees: (bytes used, text, sentences, "
             "words, lines, whether the next sentence cannot be parsed, why there is no tree for it).")
        .def("kbest", &kbest_batch, "weights"_a, "pruner_weights"_a, "encoded"_a, "given_heads"_a, "given_labels"_a,
             "single_root"_a, "projective"_a, "threads"_a, "k"_a,
             nb::sig("def kbest(self, weights: typing.Any, pruner_weights: typing.Any, encoded: Encoded, "
                     "given_heads: typing.Any, given_labels: typing.Any, single_root: bool, projective: bool, "
                     "threads: int, k: int) -> list[typing.Any]"),
             "For every sentence (heads, labels, log-probabilities), a row per tree and a column per word.")
        .def("arc_scores", &arc_scores<HeldWeights>, "of_pruner"_a, "weights"_a, "encoded"_a, "sentence"_a, "arcs"_a)
        .def("arc_scores", &arc_scores<LearnedWeights>, "of_pruner"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "arcs"_a, "Sums of the weights of arcs (head, modifier); without a list, of all arcs as a flat table.")
        .def("label_scores", &label_scores<HeldWeights>, "of_labeler"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "heads"_a, "arcs"_a)
        .def("label_scores", &label_scores<LearnedWeights>, "of_labeler"_a, "weights"_a, "encoded"_a, "sentence"_a,
             "heads"_a, "arcs"_a,
             "Sums of the weights of every label of arcs; heads are the tree that the labeler sees.")
        .def("sibling_scores", &sibling_scores<HeldWeights>, "weights"_a, "encoded"_a, "sentence"_a, "heads"_a,
             "head"_a)
        .def("sibling_scores", &sibling_scores<LearnedWeights>, "weights"_a, "encoded"_a, "sentence"_a, "heads"_a,
             "head"_a, "Sums of the weights of neighbouring labels below a head, flat; the last are start and end.")
        .def("surprise", [](const Structure& self, const HeldWeights& weights, const HeldWeights& pruner_weights,
                            const Encoded& encoded,
                            const Array<const int>& heads, const Array<const int>& labels, bool single_root,
                            bool projective, int threads, const std::vector<double>& scales, double joint) {
            const Parser parser = parser_of(self, weights, pruner_weights);
            nb::gil_scoped_release release;
            const Surprise found = measure_surprise(parser, encoded, {heads.data(), labels.data()},
                                                    {single_root, projective}, scales, joint, threads);
            return std::make_tuple(found.trees, found.labels, found.joint);
        }, "weights"_a, "pruner_weights"_a, "encoded"_a, "heads"_a, "labels"_a, "single_root"_a, "projective"_a,
           "threads"_a, "scales"_a, "joint"_a)
        .def("template_masses", [](const Structure& self, int section, const HeldWeights& weights,
                                   const Encoded& encoded, const Array<const int>& heads,
                                   const Array<const int>& labels) {
            const auto which = static_cast<Section>(section);
            return template_masses(self.templates, which, self.model.labels(),
                                   weights.table(which == Section::pruner ? 0 : self.model.labeler().padding()),
                                   encoded, {heads.data(), labels.data()});
        }, "section"_a, "weights"_a, "encoded"_a, "heads"_a, "labels"_a)
        .def("train_pruner", [](const Structure& self, OnlineLearner& learner, const Encoded& encoded,
                                const Array<const int>& heads, const std::vector<std::size_t>& sentences,
                                bool single_root, bool projective, int threads) {
            nb::gil_scoped_release release;
            return train_pruner(self.templates, self.pruner, learner, encoded, {heads.data(), nullptr}, sentences,
                                {{1, 0}, {single_root, projective}, threads}).arc_loss;
        }, "learner"_a, "encoded"_a, "heads"_a, "sentences"_a, "single_root"_a, "projective"_a, "threads"_a)
        .def("train", [](const Structure& self, OnlineLearner& learner, const Encoded& encoded,
                         const Array<const int>& heads, const Array<const int>& labels, const Arcs& arcs,
                         const std::vector<std::size_t>& sentences, double beta, double gamma, bool single_root,
                         bool projective, int threads) {
            BatchReport report;
            {
                nb::gil_scoped_release release;
                report = train_parser(self.templates, self.model, self.higher, learner, encoded,
                                      {heads.data(), labels.data()}, arcs.of, sentences,
                                      {{beta, gamma}, {single_root, projective}, threads, self.graph});
            }
            return std::make_tuple(report.arc_loss, report.label_loss, report.words, report.infeasible);
        }, "learner"_a, "encoded"_a, "heads"_a, "labels"_a, "arcs"_a, "sentences"_a, "beta"_a, "gamma"_a,
           "single_root"_a, "projective"_a, "threads"_a)
        .def("support", [](const Structure& self, OnlineLearner& learner, const Encoded& encoded,
                           const Array<const int>& heads, const Array<const int>& labels,
                           const std::vector<std::size_t>& sentences) {
            nb::gil_scoped_release release;
            support(self.templates, self.model, learner, encoded, {heads.data(), labels.data()}, sentences);
        }, "learner"_a, "encoded"_a, "heads"_a, "labels"_a, "sentences"_a);
    m.def("atom_names", [] { return std::vector<std::string>(atom_names.begin(), atom_names.end()); });
    m.def("arc_atom_names", [] { return std::vector<std::string>(arc_atom_names.begin(), arc_atom_names.end()); });
}
