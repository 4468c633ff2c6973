// arbora._core's trainer of parsers.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "parsing.hpp"
#include "parsing/calibration.hpp"
#include "parsing/gold_features.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace arbora {

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
                const GoldTrees gold{heads.data(), labels.data(), data_of(tags)};
                nb::gil_scoped_release release;
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
                const FeatureCounts found = count_features(self, encoded, {heads.data(), nullptr}, arcs.of);
                return std::make_tuple(found.supported, found.complete);
            },
            "encoded"_a, "heads"_a, "arcs"_a,
            "How many different features of arcs and parts gold trees have, and how many all candidates.")
        .def(
            "template_masses",
            [](const LinearModel& self, const std::string& section, const LoadedWeights& weights,
               const Encoded& encoded, const Array<const int>& heads, const Array<const int>& labels) {
                const Section which = section_named(section);
                const bool of_tags = which == Section::tags || which == Section::tag_links;
                const int count = which == Section::roles ? self.first_order.roles().labels()
                                  : of_tags               ? self.higher.tags().labels(which)
                                                          : self.first_order.labels();
                return template_masses(self.templates, which, count,
                                       weights.table(which == Section::pruner ? 0 : self.padding()), encoded,
                                       {heads.data(), labels.data()});
            },
            "section"_a, "weights"_a, "encoded"_a, "heads"_a, "labels"_a)
        .def(
            "train_pruner",
            [](const LinearModel& self, OnlineLearner& learner, const Encoded& encoded, const Array<const int>& heads,
               const std::vector<std::size_t>& sentences, const TreeOptions& trees, int threads) {
                nb::gil_scoped_release release;
                return train_pruner(self, learner, encoded, {heads.data(), nullptr}, sentences,
                                    {{1, 0}, trees.kind, threads})
                    .arc_loss;
            },
            "learner"_a, "encoded"_a, "heads"_a, "sentences"_a, "trees"_a, "threads"_a)
        .def(
            "train",
            [](const LinearModel& self, OnlineLearner& learner, const Encoded& encoded, const Array<const int>& heads,
               const Array<const int>& labels, const Arcs& arcs, const std::vector<std::size_t>& sentences, double beta,
               double gamma, const TreeOptions& trees, int threads, const OptionalIntegers& tags) {
                BatchReport report;
                {
                    nb::gil_scoped_release release;
                    report = train_parser(self, learner, encoded, {heads.data(), labels.data(), data_of(tags)}, arcs.of,
                                          sentences, {{beta, gamma}, trees.kind, threads, trees.graph});
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
                nb::gil_scoped_release release;
                break_symmetry(self, learner, encoded, {heads.data(), nullptr}, seed);
            },
            "learner"_a, "encoded"_a, "heads"_a, "seed"_a)
        .def(
            "support",
            [](const LinearModel& self, OnlineLearner& learner, const Encoded& encoded, const Array<const int>& heads,
               const Array<const int>& labels, const std::vector<std::size_t>& sentences) {
                nb::gil_scoped_release release;
                support(self, learner, encoded, {heads.data(), labels.data()}, sentences);
            },
            "learner"_a, "encoded"_a, "heads"_a, "labels"_a, "sentences"_a);
}

}  // namespace arbora
