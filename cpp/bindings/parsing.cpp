// arbora._core's parser: candidate arcs, trees, k-best trees, from text to text.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "parsing.hpp"
#include "parsing/stream.hpp"
#include "support/parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

template <class Names>
std::size_t place_of(const Names& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw nb::value_error(("there is no " + name + " in templates").c_str());
    return static_cast<std::size_t>(found - names.begin());
}

// Relatives in the tree are seen from the words that they belong to.
struct Relative {
    const char* name;
    Role role;
    int offset;
};
constexpr std::array<Relative, 3> relatives{{{"first-child", Role::modifier, first_child},
                                             {"last-child", Role::modifier, last_child},
                                             {"parent", Role::head, parent}}};

Templates::Spec spec_of(const TemplateSpec& written) {
    const auto& [seed, atoms, variants] = written;
    Templates::Spec spec{.seed = seed};
    const std::array<std::vector<Reference>*, role_names.size()> sides{&spec.head, &spec.modifier, &spec.between,
                                                                       &spec.third, &spec.fourth};
    for (const auto& [place, offset, name] : atoms) {
        if (place == "arc") {
            spec.arc.push_back(static_cast<ArcAtom>(place_of(arc_atom_names, name)));
            continue;
        }
        const auto relative = std::find_if(relatives.begin(), relatives.end(),
                                           [&place](const Relative& each) { return place == each.name; });
        const bool is_relative = relative != relatives.end();
        const std::size_t role = is_relative ? static_cast<std::size_t>(relative->role) : place_of(role_names, place);
        sides[role]->push_back({is_relative ? relative->offset : offset, atom_named(name)});
    }
    const auto has = [&variants](const char* name) {
        return std::find(variants.begin(), variants.end(), name) != variants.end();
    };
    spec.alone = has("alone");
    spec.direction = has("direction");
    spec.distance = has("distance");
    return spec;
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

std::unique_ptr<Arcs> choose_batch(const Structure& structure, const HeldWeights& weights, const Encoded& encoded,
                                   const Array<const int>& also, const TreeOptions& trees, int threads) {
    auto result = std::make_unique<Arcs>();
    result->of.resize(encoded.sentences());
    const ShortWeights w = weights.table(0);
    for_sentences(encoded.sentences(), threads, [&](std::size_t i) {
        thread_local Prepared prepared;
        prepared.set(structure.templates, encoded, i, bit_of(Section::pruner));
        result->of[i] = structure.pruner.choose(prepared, w, {}, trees.kind,
                                                also.shape(0) ? also.data() + encoded.start(i) - 1 : nullptr);
    });
    return result;
}

void parse_batch(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights,
                 const Encoded& encoded, const Array<const int>& given_heads, const Array<const int>& given_labels,
                 const TreeOptions& trees, bool least_risk, int threads, const Array<int>& heads,
                 const Array<int>& labels, const Array<double>& head_probabilities,
                 const Array<double>& label_probabilities, const Array<double>& log_probabilities,
                 const Array<double>& gaps, const std::optional<Array<int>>& tags,
                 const std::optional<Array<double>>& tag_probabilities) {
    const Parser parser = parser_of(structure, weights, pruner_weights);
    const ParseOptions options{trees.kind, least_risk ? Decoder::least_risk : Decoder::best,
                               log_probabilities.shape(0) > 0, trees.graph};
    if (heads.shape(0) < encoded.words() || labels.shape(0) < encoded.words())
        throw nb::value_error("too small a place for the trees");
    const bool wants_tags = tags && structure.higher.tags().tags() > 0;
    if (wants_tags && tags->shape(0) < encoded.words()) throw nb::value_error("too small a place for the tags");
    for_sentences(encoded.sentences(), threads, [&](std::size_t i) {
        const std::size_t start = encoded.start(i);
        const int n = encoded.length(i);
        std::vector<int> h(n + 1, -1), l(n + 1, -1);
        std::vector<double> hp(n + 1), lp(n + 1), tp(n + 1);
        std::vector<int> t(n + 1);
        ParseRef result{h.data(), l.data(), hp.data(), lp.data(), 0};
        if (wants_tags) result.tags = t.data();
        result.tag_probabilities = tp.data();
        parse(parser, encoded, i,
              {given_heads.shape(0) ? given_heads.data() + start - 1 : nullptr,
               given_labels.shape(0) ? given_labels.data() + start - 1 : nullptr},
              options, result);
        std::copy(h.begin() + 1, h.end(), heads.data() + start);
        std::copy(l.begin() + 1, l.end(), labels.data() + start);
        if (wants_tags) std::copy(t.begin() + 1, t.end(), tags->data() + start);
        if (wants_tags && tag_probabilities && tag_probabilities->shape(0))
            std::copy(tp.begin() + 1, tp.end(), tag_probabilities->data() + start);
        if (gaps.shape(0))
            gaps.data()[i] = is_certificate(result.value, result.upper_bound) ? 0 : result.upper_bound - result.value;
        if (!options.probabilities) return;
        std::copy(hp.begin() + 1, hp.end(), head_probabilities.data() + start);
        std::copy(lp.begin() + 1, lp.end(), label_probabilities.data() + start);
        log_probabilities.data()[i] = result.log_probability;
    });
}

// The probabilities of all heads and of all labels of one sentence (ParseRef), for words 1..n.
nb::tuple distributions(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights,
                        const Encoded& encoded, std::size_t sentence, const Array<const int>& given_heads,
                        const TreeOptions& trees) {
    if (sentence >= encoded.sentences()) throw nb::index_error("there is no such sentence");
    const Parser parser = parser_of(structure, weights, pruner_weights);
    const int n = encoded.length(sentence), labels = parser.model.labels();
    const std::size_t width = n + 1;
    std::vector<int> h(width, -1), l(width, -1);
    std::vector<double> hp(width), lp(width);
    ParseRef result{h.data(), l.data(), hp.data(), lp.data(), 0};
    auto head_table = new_array<double, 2>({width, width}, result.head_table);
    auto label_table = new_array<double, 2>({width, static_cast<std::size_t>(labels)}, result.label_table);
    std::fill_n(result.head_table, width * width, 0.0);
    std::fill_n(result.label_table, width * labels, 0.0);
    parse(parser, encoded, sentence, {given_heads.shape(0) ? given_heads.data() - 1 : nullptr, nullptr},
          {trees.kind, Decoder::best, true, trees.graph}, result);
    return nb::make_tuple(head_table, label_table);
}

// Seconds by stage that a parse of all sentences takes, one after the other.
nb::dict time_stages(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights,
                     const Encoded& encoded, const TreeOptions& trees) {
    const Parser parser = parser_of(structure, weights, pruner_weights);
    StageTimes times;
    ParseOptions options{trees.kind, Decoder::best, false, trees.graph};
    options.times = &times;
    for_sentences(encoded.sentences(), 1, [&](std::size_t i) {
        const int n = encoded.length(i);
        std::vector<int> heads(n + 1, -1), labels(n + 1, -1);
        ParseRef result{heads.data(), labels.data(), nullptr, nullptr, 0};
        parse(parser, encoded, i, {}, options, result);
    });
    nb::dict result;
    result["pruning"] = times.pruning;
    result["features"] = times.features;
    result["graphs"] = times.graphs;
    result["inference"] = times.inference - times.graphs;  // graphs are made meanwhile
    result["labels"] = times.labels;
    return result;
}

nb::list kbest_batch(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights,
                     const Encoded& encoded, const Array<const int>& given_heads, const Array<const int>& given_labels,
                     const TreeOptions& trees, int threads, int k) {
    const Parser parser = parser_of(structure, weights, pruner_weights);
    std::vector<std::vector<LabelledTree>> found(encoded.sentences());
    for_sentences(encoded.sentences(), threads, [&](std::size_t i) {
        const std::size_t start = encoded.start(i);
        found[i] = parse_kbest(parser, encoded, i,
                               {given_heads.shape(0) ? given_heads.data() + start - 1 : nullptr,
                                given_labels.shape(0) ? given_labels.data() + start - 1 : nullptr},
                               {trees.kind, Decoder::best, true, trees.graph}, k);
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
                     const std::vector<std::string>& labels, const std::vector<std::string>& tags, nb::bytes data,
                     bool final, const TreeOptions& trees, bool least_risk, bool probabilities, bool constraints,
                     int threads) {
    const Parser parser = parser_of(structure, weights, pruner_weights);
    if (static_cast<int>(labels.size()) != structure.model.labels()) throw nb::value_error("every label needs a name");
    if (!tags.empty() && static_cast<int>(tags.size()) != structure.higher.tags().tags())
        throw nb::value_error("every tag needs a name");
    const Decoder decoder = least_risk ? Decoder::least_risk : Decoder::best;
    const StreamOptions options{
        {trees.kind, decoder, probabilities, trees.graph, trees.graph.certify}, constraints, threads};
    const std::string_view text(data.c_str(), data.size());
    treebank::RewrittenText found;
    {
        nb::gil_scoped_release release;
        found = parse_conllu(parser, Names(labels), Names(tags), text, final, options);
    }
    return nb::make_tuple(found.bytes, joined_bytes(found.sentences), found.sentences.size(), found.words, found.lines,
                          found.stopped, found.refused_because);
}

}  // namespace

namespace arbora {

Section section_named(const std::string& name) { return static_cast<Section>(place_of(section_names, name)); }

Templates templates_of(const SectionSpecs& sections) {
    Templates result;
    for (const auto& [name, templates] : sections)
        for (const TemplateSpec& each : templates) result.add(section_named(name), spec_of(each));
    return result;
}

Parser parser_of(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights) {
    return {structure.templates, structure.pruner, pruner_weights.table(0),
            structure.model,     structure.higher, weights.table(structure.padding())};
}

}  // namespace arbora

void bind_parsing(nb::module_& m) {
    nb::class_<Arcs>(m, "Arcs", "Candidate arcs of sentences.")
        .def_prop_ro("count",
                     [](const Arcs& arcs) {
                         std::size_t total = 0;
                         for (const auto& each : arcs.of) total += each.size();
                         return total;
                     })
        .def(
            "of",
            [](const Arcs& arcs, std::size_t sentence) {
                ArcSpec result;
                for (const Arc& arc : arcs.of.at(sentence)) result.emplace_back(arc.head, arc.modifier);
                return result;
            },
            "sentence"_a, "A sentence's arcs as (head, modifier).");
    nb::class_<TreeOptions>(m, "TreeOptions", "Which trees count, and how they are found where arcs are not alone.")
        .def(
            "__init__",
            [](TreeOptions* self, bool single_root, bool projective, const std::string& solver, int iterations,
               int propagations, int constraint, bool certify, bool outer, int nodes) {
                const auto found = std::find(solver_names.begin(), solver_names.end(), solver);
                if (found == solver_names.end()) throw nb::value_error("there is no such solver");
                new (self) TreeOptions{{single_root, projective},
                                       {static_cast<GraphSolver>(found - solver_names.begin()), iterations,
                                        propagations, static_cast<TreeConstraint>(constraint), certify, outer, nodes}};
            },
            "single_root"_a, "projective"_a, "solver"_a, "iterations"_a, "propagations"_a, "constraint"_a, "certify"_a,
            "outer"_a = false, "nodes"_a = 0)
        .def_prop_ro("single_root", [](const TreeOptions& self) { return self.kind.single_root; })
        .def_prop_ro("projective", [](const TreeOptions& self) { return self.kind.projective; });
    StructureClass structure(m, "ParserStructure", "A parser without its weights.");
    structure
        .def(nb::init<const SectionSpecs&, double, int, const std::vector<bool>&, const std::vector<bool>&, double,
                      double, double, int, int>(),
             "sections"_a, "threshold"_a, "most"_a, "at_root"_a, "below_words"_a, "tree_scale"_a = 1.0,
             "label_scale"_a = 1.0, "joint_scale"_a = 0.0, "roles"_a = 0, "tags"_a = 0)
        .def_prop_ro(
            "padding", [](const Structure& self) { return self.padding(); },
            "How many weights follow the table's power of two.")
        .def("choose", &choose_batch, "weights"_a, "encoded"_a, "also"_a, "trees"_a, "threads"_a)
        .def("parse", &parse_batch, "weights"_a, "pruner_weights"_a, "encoded"_a, "given_heads"_a, "given_labels"_a,
             "trees"_a, "least_risk"_a, "threads"_a, "heads"_a, "labels"_a, "head_probabilities"_a,
             "label_probabilities"_a, "log_probabilities"_a, "gaps"_a, "tags"_a = nb::none(),
             "tag_probabilities"_a = nb::none())
        .def("distributions", &distributions, "weights"_a, "pruner_weights"_a, "encoded"_a, "sentence"_a,
             "given_heads"_a, "trees"_a,
             "Of one sentence, the probabilities of heads ((n+1) x (n+1), row by head) and of labels of the best "
             "tree's arcs ((n+1) x labels).")
        .def("time_stages", &time_stages, "weights"_a, "pruner_weights"_a, "encoded"_a, "trees"_a,
             "Seconds by stage that a parse of all sentences takes, one after the other.")
        .def("parse_conllu", &parse_text, "weights"_a, "pruner_weights"_a, "labels"_a, "tags"_a, "data"_a, "final"_a,
             "trees"_a, "least_risk"_a, "probabilities"_a, "constraints"_a, "threads"_a,
             nb::sig("def parse_conllu(self, weights: typing.Any, pruner_weights: typing.Any, labels: list[str], "
                     "tags: list[str], data: bytes, final: bool, trees: TreeOptions, least_risk: bool, "
                     "probabilities: bool, constraints: bool, threads: int) "
                     "-> tuple[int, bytes, int, int, int, bool, str]"),
             "The text of the whole sentences at the start of the data, with trees: (bytes used, text, sentences, "
             "words, lines, whether the next sentence cannot be parsed, why there is no tree for it).")
        .def("kbest", &kbest_batch, "weights"_a, "pruner_weights"_a, "encoded"_a, "given_heads"_a, "given_labels"_a,
             "trees"_a, "threads"_a, "k"_a,
             nb::sig("def kbest(self, weights: typing.Any, pruner_weights: typing.Any, encoded: Encoded, "
                     "given_heads: typing.Any, given_labels: typing.Any, trees: TreeOptions, "
                     "threads: int, k: int) -> list[typing.Any]"),
             "For every sentence (heads, labels, log-probabilities), a row per tree and a column per word.");
    bind_training(structure);
    bind_raw_scores(structure);
}
