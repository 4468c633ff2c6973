// arbora._core's trainer of parsers.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "interruption.hpp"
#include "parsing.hpp"
#include "parsing/calibration.hpp"
#include "parsing/gold_features.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace arbora {

namespace {

void check_arcs(const Arcs& arcs, const Encoded& encoded, const std::vector<std::size_t>& sentences) {
    expect_length(arcs.of.size(), encoded.sentences(), "sentences of the arcs");
    for (std::size_t i : sentences)
        for (const Arc& arc : arcs.of[i]) {
            expect_between(arc.head, 0, encoded.length(i), "heads of arcs");
            expect_between(arc.modifier, 1, encoded.length(i), "modifiers of arcs");
        }
}

std::vector<std::size_t> all_sentences(const Encoded& encoded) {
    std::vector<std::size_t> result(encoded.sentences());
    std::iota(result.begin(), result.end(), std::size_t{0});
    return result;
}

// The least head of a word: of whole trees, and where some heads are not known.
constexpr int whole = 0, partial = -1;

// Trees that fit the sentences: the lengths are those of all, the numbers are looked at in `sentences` alone. Labels that
// are not known, or that the model has never seen, are -1.
GoldTrees gold_trees(const LinearModel& model, const Encoded& encoded, const std::vector<std::size_t>& sentences,
                     const Array<const int>& heads, int least_head, const Array<const int>* labels = nullptr,
                     const OptionalIntegers& tags = std::nullopt) {
    check_tags(model, encoded);
    expect_places(sentences, encoded.sentences(), "sentences");
    expect_length(heads, encoded.words(), "heads");
    if (labels) expect_length(*labels, encoded.words(), "labels");
    const int* observed = data_of(tags);
    if (observed) expect_length(*tags, encoded.words(), "tags");
    for (std::size_t i : sentences) {
        const std::size_t at = encoded.start(i), n = encoded.length(i);
        expect_all_between(heads.data() + at, n, least_head, encoded.length(i), "heads");
        if (labels) expect_all_between(labels->data() + at, n, -1, model.first_order.labels() - 1, "labels");
        for (std::size_t word = at; observed && word < at + n; ++word)
            expect_between(observed[word], 0, static_cast<std::ptrdiff_t>(encoded.tags(word).size()) - 1, "tags");
    }
    return {heads.data(), labels ? labels->data() : nullptr, observed};
}

}  // namespace

void bind_training(ModelClass& model) {
    model
        .def(
            "gold_costs",
            [](const LinearModel& self, const LoadedWeights& weights, const LoadedWeights& pruner_weights,
               const Encoded& encoded, const Array<const int>& heads, const Array<const int>& labels,
               const TreeOptions& trees, int threads, const std::vector<double>& tree_scales,
               const std::vector<double>& label_scales, const std::vector<double>& joint_scales, double joint,
               const OptionalIntegers& tags) {
                const LinearParser parser = parser_of(self, weights, pruner_weights);
                const GoldTrees gold = gold_trees(self, encoded, all_sentences(encoded), heads, whole, &labels, tags);
                const Unlocked unlocked;
                std::vector<GoldTree> each;
                for (std::size_t i = 0; i < encoded.sentences(); ++i) each.push_back(gold.of(encoded, i));
                const GoldCosts found = measure_gold_costs(LinearScorer(parser, encoded), each, trees.kind, trees.graph,
                                                           {tree_scales, label_scales, joint_scales, joint}, threads);
                return std::make_tuple(found.trees, found.labels, found.arc_labels, found.exact);
            },
            "weights"_a, "pruner_weights"_a, "encoded"_a, "heads"_a, "labels"_a, "trees"_a, "threads"_a,
            "tree_scales"_a, "label_scales"_a, "joint_scales"_a, "joint"_a, "tags"_a = nb::none())
        .def(
            "count_features",
            [](const LinearModel& self, const Encoded& encoded, const Array<const int>& heads, const Arcs& arcs) {
                const std::vector<std::size_t> all = all_sentences(encoded);
                const GoldTrees gold = gold_trees(self, encoded, all, heads, whole);
                check_arcs(arcs, encoded, all);
                const FeatureCounts found = count_features(self, encoded, gold, arcs.of);
                return std::make_tuple(found.supported, found.complete);
            },
            "encoded"_a, "heads"_a, "arcs"_a,
            "How many different features of arcs and parts gold trees have, and how many all candidates.")
        .def(
            "template_masses",
            [](const LinearModel& self, const std::string& section, const LoadedWeights& weights,
               const Encoded& encoded, const Array<const int>& heads, const Array<const int>& labels) {
                const Section which = section_named(section);
                const GoldTrees gold = gold_trees(self, encoded, all_sentences(encoded), heads, whole, &labels);
                const bool of_tags = which == Section::tags || which == Section::tag_links;
                const int count = which == Section::roles ? self.first_order.roles().labels()
                                  : of_tags               ? self.higher.tags().labels(which)
                                                          : self.first_order.labels();
                return template_masses(self.templates, which, count,
                                       weights.table(which == Section::pruner ? 0 : self.padding()), encoded, gold);
            },
            "section"_a, "weights"_a, "encoded"_a, "heads"_a, "labels"_a)
        .def(
            "train_pruner",
            [](const LinearModel& self, OnlineLearner& learner, const Encoded& encoded, const Array<const int>& heads,
               const std::vector<std::size_t>& sentences, const TreeOptions& trees, int threads) {
                expect_learner(learner, 0);
                const GoldTrees gold = gold_trees(self, encoded, sentences, heads, partial);
                const Unlocked unlocked;
                return train_pruner(self, learner, encoded, gold, sentences, {{1, 0}, trees.kind, threads}).arc_loss;
            },
            "learner"_a, "encoded"_a, "heads"_a, "sentences"_a, "trees"_a, "threads"_a)
        .def(
            "train",
            [](const LinearModel& self, OnlineLearner& learner, const Encoded& encoded, const Array<const int>& heads,
               const Array<const int>& labels, const Arcs& arcs, const std::vector<std::size_t>& sentences, double beta,
               double gamma, const TreeOptions& trees, int threads, const OptionalIntegers& tags) {
                expect_learner(learner, self.padding());
                const GoldTrees gold = gold_trees(self, encoded, sentences, heads, partial, &labels, tags);
                check_arcs(arcs, encoded, sentences);
                BatchReport report;
                {
                    const Unlocked unlocked;
                    report = train_parser(self, learner, encoded, gold, arcs.of, sentences,
                                          {{beta, gamma}, trees.kind, threads, trees.graph});
                }
                return std::make_tuple(report.arc_loss, report.label_loss, report.words, report.infeasible);
            },
            "learner"_a, "encoded"_a, "heads"_a, "labels"_a, "arcs"_a, "sentences"_a, "beta"_a, "gamma"_a, "trees"_a,
            "threads"_a, "tags"_a = nb::none(),
            "`tags`: where among those that it may have each word's own stands, if they were observed.")
        .def(
            "break_symmetry",
            [](const LinearModel& self, OnlineLearner& learner, const Encoded& encoded, const Array<const int>& heads,
               std::uint64_t seed) {
                expect_learner(learner, self.padding());
                const GoldTrees gold = gold_trees(self, encoded, all_sentences(encoded), heads, whole);
                const Unlocked unlocked;
                break_symmetry(self, learner, encoded, gold, seed);
            },
            "learner"_a, "encoded"_a, "heads"_a, "seed"_a)
        .def(
            "support",
            [](const LinearModel& self, OnlineLearner& learner, const Encoded& encoded, const Array<const int>& heads,
               const Array<const int>& labels, const std::vector<std::size_t>& sentences) {
                expect_learner(learner, self.padding());
                const GoldTrees gold = gold_trees(self, encoded, sentences, heads, whole, &labels);
                const Unlocked unlocked;
                support(self, learner, encoded, gold, sentences);
            },
            "learner"_a, "encoded"_a, "heads"_a, "labels"_a, "sentences"_a);
}

}  // namespace arbora
