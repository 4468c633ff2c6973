// arbora._core's trainer of stages, and what is measured of them.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "checks.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"
#include "support/parallel.hpp"
#include "tagging.hpp"
#include "tagging/tagger.hpp"
#include "tagging/training.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace arbora {

namespace {

void check_labels(const Stage& stage, const TagText& text, const Array<const int>& labels, int least) {
    expect_length(labels, text.words(), "labels");
    expect_all_between(labels.data(), labels.shape(0), least, stage.layer.labels() - 1, "labels");
}

}  // namespace

void bind_stage_training(StageClass& stage) {
    stage
        .def(
            "train",
            [](const Stage& self, OnlineLearner& learner, const TagText& text, const Array<const int>& gold,
               const std::vector<std::size_t>& sentences, double beta, double gamma, int threads) {
                check_labels(self, text, gold, 0);
                expect_learner(learner, self.layer.padding());
                expect_places(sentences, text.sentences(), "sentences");
                const Unlocked unlocked;
                return train_stage(self, learner, text, gold.data(), sentences, {beta, gamma}, threads);
            },
            "learner"_a, "text"_a, "gold"_a, "sentences"_a, "beta"_a, "gamma"_a, "threads"_a,
            "Learns by a batch of sentences; returns the sum of their losses.")
        .def(
            "differentiate",
            [](const Stage& self, OnlineLearner& learner, const TagText& text, std::size_t sentence,
               const Array<const int>& gold, double beta, double gamma) {
                check_labels(self, text, gold, 0);
                expect_learner(learner, self.layer.padding());
                expect_place(sentence, text.sentences(), "sentence");
                SparseSum sum;
                const double loss =
                    differentiate(self, learner.weights(), text, sentence, gold.data(), {beta, gamma}, sum);
                std::vector<std::tuple<std::uint32_t, float>> gradient;
                sum.for_each([&](std::uint32_t index, float value) { gradient.emplace_back(index, value); });
                return std::make_tuple(loss, gradient);
            },
            "learner"_a, "text"_a, "sentence"_a, "gold"_a, "beta"_a, "gamma"_a,
            "The loss of a sentence, and its gradient by weights.")
        .def(
            "gold_costs",
            [](const Stage& self, const LoadedWeights& weights, const TagText& text, const Array<const int>& gold,
               const std::vector<double>& scales, int threads) {
                check_labels(self, text, gold, -1);
                const ShortWeights table = weights.table(self.layer.padding());
                const Unlocked unlocked;
                return measure_gold_costs(self, table, text, gold.data(), scales, threads);
            },
            "weights"_a, "text"_a, "gold"_a, "scales"_a, "threads"_a)
        .def(
            "choose",
            [](const Stage& self, const LoadedWeights& weights, const TagText& text, int threads,
               const Array<int>& labels) {
                expect_length(labels, text.words(), "labels");
                const ShortWeights table = weights.table(self.layer.padding());
                const Unlocked unlocked;
                parallel_for(text.sentences(), threads, [&](std::size_t i) {
                    thread_local Lattice lattice;
                    thread_local std::vector<int> found;
                    choose_labels(self, table, text.sentence(i), text.forms(i), lattice, found);
                    std::copy(found.begin(), found.end(), labels.data() + text.start(i));
                });
            },
            "weights"_a, "text"_a, "threads"_a, "labels"_a,
            "The best labels, if words have the atoms of earlier stages.")
        .def(
            "lattice",
            [](const Stage& self, const LoadedWeights& weights, const TagText& text, std::size_t sentence) {
                expect_place(sentence, text.sentences(), "sentence");
                Lattice lattice;
                self.fill(
                    text.sentence(sentence), weights.table(self.layer.padding()), nullptr,
                    [&](int word) { return text.form(text.start(sentence) + word); }, lattice);
                return nb::make_tuple(array_of(lattice.starts), array_of(lattice.labels), array_of(lattice.local),
                                      array_of(lattice.triples));
            },
            "weights"_a, "text"_a, "sentence"_a,
            nb::sig("def lattice(self, weights: ShortWeights, text: TagText, sentence: int) "
                    "-> tuple[typing.Any, typing.Any, typing.Any, typing.Any]"),
            "Where the candidates of each word begin, their labels, their scores, and the scores of triples.");
}

}  // namespace arbora
