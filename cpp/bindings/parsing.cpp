// arbora._core's parser: candidate arcs, trees, k-best trees, from text to text.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "annotating.hpp"
#include "arrays.hpp"
#include "batches.hpp"
#include "bindings.hpp"
#include "interruption.hpp"
#include "parsing.hpp"
#include "support/parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

Confidence confidence_of(const std::array<double, 4>& numbers) {
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

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
    const Unlocked unlocked;
    parallel_for(count, threads, task);
}

std::unique_ptr<Arcs> choose_batch(const LinearModel& model, const LoadedWeights& weights, const Encoded& encoded,
                                   const Array<const int>& also, const TreeOptions& trees, int threads) {
    auto result = std::make_unique<Arcs>();
    result->of.resize(encoded.sentences());
    const ShortWeights w = weights.table(0);
    if (also.shape(0)) {
        expect_length(also, encoded.words(), "also");
        for (std::size_t i = 0; i < encoded.sentences(); ++i)
            expect_all_between(also.data() + encoded.start(i), encoded.length(i), -1, encoded.length(i), "also");
    }
    for_sentences(encoded.sentences(), threads, [&](std::size_t i) {
        thread_local Prepared prepared;
        prepared.set(model.templates, encoded, i, bit_of(Section::pruner));
        result->of[i] = model.pruner.choose(prepared, w, {}, trees.kind,
                                            also.shape(0) ? also.data() + encoded.start(i) - 1 : nullptr);
    });
    return result;
}

// How the sentences of a batch are parsed.
void check_names(const LinearModel& model, const ParserNames& names) {
    expect_length(names.labels.count(), model.first_order.labels(), "names of labels");
    if (names.tags.count()) expect_length(names.tags.count(), model.higher.tags().tags(), "names of tags");
}

void annotate_batch(const LinearModel& model, const LoadedWeights& weights, const LoadedWeights& pruner_weights,
                    std::shared_ptr<const ParserNames> names, treebank::Batch& batch, const TreeOptions& trees,
                    bool least_risk, bool probabilities, bool constraints, int threads,
                    const OptionalIntegers& given_heads, const OptionalIntegers& given_labels) {
    check_names(model, *names);
    const LinearParser parser = parser_of(model, weights, pruner_weights);
    const AnnotationOptions options = annotation_options(trees, least_risk, probabilities, constraints, threads,
                                                         given_heads, given_labels, model.first_order.labels(), batch);
    const Unlocked unlocked;
    annotate(parser, std::move(names), options, batch);
}

BatchPointer annotate_batch_kbest(const LinearModel& model, const LoadedWeights& weights,
                                  const LoadedWeights& pruner_weights, std::shared_ptr<const ParserNames> names,
                                  treebank::Batch& batch, const TreeOptions& trees, bool constraints, int threads,
                                  int k) {
    check_names(model, *names);
    const LinearParser parser = parser_of(model, weights, pruner_weights);
    const AnnotationOptions options =
        annotation_options(trees, false, true, constraints, threads, std::nullopt, std::nullopt, 0, batch);
    const Unlocked unlocked;
    return hold(annotate_kbest(parser, std::move(names), options, k, batch));
}

// The best trees of encoded sentences, whose numbers nobody names.
Parses parse_encoded(const LinearModel& model, const LoadedWeights& weights, const LoadedWeights& pruner_weights,
                     const Encoded& encoded, const TreeOptions& trees, int threads) {
    check_tags(model, encoded);
    const LinearParser parser = parser_of(model, weights, pruner_weights);
    const LinearScorer scorer(parser, encoded);
    std::vector<int> lengths;
    for (std::size_t i = 0; i < encoded.sentences(); ++i) lengths.push_back(encoded.length(i));
    Parses parses(lengths, {false, model.higher.tags().tags() > 0});
    const ParseOptions options = trees.parse_options(Decoder::best, false);
    const Unlocked unlocked;
    parallel_for(encoded.sentences(), threads,
                 [&](std::size_t i) { parses.run(i, [&](ParseRef& ref) { parse(scorer, i, {}, options, ref); }); });
    return parses;
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

void check_tags(const LinearModel& model, const Encoded& encoded) {
    const int tags = model.higher.tags().tags();
    for (std::size_t word = 0; tags && word < encoded.words(); ++word)
        for (const WordTag& each : encoded.tags(word)) expect_between(each.tag, 0, tags - 1, "tags");
}

LinearParser parser_of(const LinearModel& model, const LoadedWeights& weights, const LoadedWeights& pruner_weights) {
    return {model, weights.table(model.padding()), pruner_weights.table(0)};
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
                expect_place(sentence, arcs.of.size(), "sentence");
                for (const Arc& arc : arcs.of[sentence]) result.emplace_back(arc.head, arc.modifier);
                return result;
            },
            "sentence"_a, "A sentence's arcs as (head, modifier).");
    nb::class_<TreeOptions>(m, "TreeOptions", "Which trees count, and how they are found where arcs are not alone.")
        .def(
            "__init__",
            [](TreeOptions* self, bool single_root, bool projective, const std::string& solver, int iterations,
               int propagations, int constraint, bool certify, int outer, int nodes, int exact_length) {
                const auto found = std::find(solver_names.begin(), solver_names.end(), solver);
                if (found == solver_names.end()) throw nb::value_error("there is no such solver");
                expect_between(constraint, 0, static_cast<int>(TreeConstraint::tree), "constraint");
                expect_between(iterations, 0, INT_MAX, "iterations");
                expect_between(propagations, 0, INT_MAX, "propagations");
                expect_between(outer, 0, static_cast<int>(OuterSet::automata), "outer");
                expect_between(nodes, 0, INT_MAX, "nodes");
                new (self)
                    TreeOptions{{single_root, projective},
                                {static_cast<GraphSolver>(found - solver_names.begin()), iterations, propagations,
                                 static_cast<TreeConstraint>(constraint), certify, static_cast<OuterSet>(outer), nodes},
                                exact_length};
            },
            "single_root"_a, "projective"_a, "solver"_a, "iterations"_a, "propagations"_a, "constraint"_a, "certify"_a,
            "outer"_a = 0, "nodes"_a = 0, "exact_length"_a = default_exact_length)
        .def_prop_ro("single_root", [](const TreeOptions& self) { return self.kind.single_root; })
        .def_prop_ro("projective", [](const TreeOptions& self) { return self.kind.projective; });
    nb::class_<ParserNames>(m, "ParserNames", "What a parser's labels and tags are called.")
        .def(
            "__init__",
            [](ParserNames* self, std::vector<std::string> labels, std::vector<std::string> tags) {
                new (self) ParserNames{Names(std::move(labels)), Names(std::move(tags))};
            },
            "labels"_a, "tags"_a);
    ModelClass model(m, "LinearModel", "A parser without its weights.");
    model
        .def(
            "__init__",
            [](LinearModel* self, const SectionSpecs& sections, double threshold, int most,
               const std::vector<bool>& at_root, const std::vector<bool>& below_words, double tree_scale,
               double label_scale, double joint_scale, int roles, int tags,
               const std::array<double, 4>& confidence_in_heads, const std::array<double, 4>& confidence_in_labels) {
                expect_between(most, 1, INT_MAX, "most");
                expect_length(below_words.size(), at_root.size(), "below_words");
                expect_between(roles, 0, INT_MAX, "roles");
                expect_between(tags, 0, INT_MAX, "tags");
                new (self) LinearModel(templates_of(sections), threshold, most, {at_root.begin(), at_root.end()},
                                       {below_words.begin(), below_words.end()},
                                       {tree_scale,
                                        label_scale,
                                        joint_scale,
                                        {confidence_of(confidence_in_heads), confidence_of(confidence_in_labels)}},
                                       roles, tags);
            },
            "sections"_a, "threshold"_a, "most"_a, "at_root"_a, "below_words"_a, "tree_scale"_a = 1.0,
            "label_scale"_a = 1.0, "joint_scale"_a = 0.0, "roles"_a = 0, "tags"_a = 0,
            "confidence_in_heads"_a = std::array<double, 4>{1, 1, 0, 1},
            "confidence_in_labels"_a = std::array<double, 4>{1, 1, 0, 1})
        .def_prop_ro(
            "padding", [](const LinearModel& self) { return self.padding(); },
            "How many weights follow the table's power of two.")
        .def("choose", &choose_batch, "weights"_a, "encoded"_a, "also"_a, "trees"_a, "threads"_a)
        .def(
            "annotate", &annotate_batch, "weights"_a, "pruner_weights"_a, "names"_a, "batch"_a, "trees"_a,
            "least_risk"_a, "probabilities"_a, "constraints"_a, "threads"_a, "given_heads"_a = nb::none(),
            "given_labels"_a = nb::none(),
            "Gives trees to the sentences of a batch. `given_heads` and `given_labels`, of all words, bind as those in "
            "the columns do with `constraints`; -1 is not known.")
        .def("annotate_kbest", &annotate_batch_kbest, "weights"_a, "pruner_weights"_a, "names"_a, "batch"_a, "trees"_a,
             "constraints"_a, "threads"_a, "k"_a,
             "A batch in which every sentence comes with each of its k best trees.")
        .def("parse", &parse_encoded, "weights"_a, "pruner_weights"_a, "encoded"_a, "trees"_a, "threads"_a,
             "The best trees of encoded sentences.");
    bind_training(model);
    bind_raw_scores(model);
}
