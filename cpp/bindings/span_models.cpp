// arbora._core's models of span parsers, and how they are trained.
#include <nanobind/stl/string.h>

#include "interruption.hpp"
#include "spans.hpp"
#include "templates.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace arbora {

namespace {

std::vector<SpanTemplate> span_templates(const std::vector<TemplateSpec>& specs) {
    std::vector<SpanTemplate> result;
    for (const auto& [seed, atoms, qualifiers] : specs) {
        SpanTemplateSpec spec{seed, {}, {qualifiers.begin(), qualifiers.end()}};
        for (const auto& [place, offset, name] : atoms) spec.atoms.push_back({place, offset, name});
        result.push_back(make_template(spec));
    }
    return result;
}

// The nodes of charts, for every sentence of a text.
struct SentenceNodes {
    std::vector<std::vector<SpanNode>> each;
};

void check_sentences(const SpanText& text, const std::vector<std::size_t>& sentences) {
    expect_places(sentences, text.sentences(), "sentences");
}

auto plain_gradient(const SparseSum& sum) {
    std::vector<std::tuple<std::uint32_t, float>> gradient;
    sum.for_each([&](std::uint32_t index, float value) { gradient.emplace_back(index, value); });
    return gradient;
}

void bind_coarse_model(nb::module_& m) {
    nb::class_<SentenceNodes>(m, "SpanNodes", "The nodes of charts, for every sentence of a text.")
        .def(nb::init<>())
        .def("__getitem__", [](const SentenceNodes& self, std::size_t sentence) {
            expect_place(sentence, self.each.size(), "sentence");
            return array_of_nodes(self.each[sentence]);
        });
    nb::class_<CoarseModel>(m, "CoarseSpans", "The small model of a span parser, without its weights.")
        .def(
            "__init__",
            [](CoarseModel* self, const SpanGrammar& grammar, const std::vector<TemplateSpec>& templates) {
                new (self) CoarseModel(grammar, span_templates(templates));
            },
            "grammar"_a, "templates"_a)
        .def_prop_ro("padding", &CoarseModel::padding, "How many weights follow the table's power of two.")
        .def(
            "train",
            [](const CoarseModel& self, OnlineLearner& learner, const SpanText& text, const NodeArray& gold,
               const std::vector<std::size_t>& sentences, int threads) {
                const SpanNode* nodes = gold_of(self.grammar(), text, gold);
                check_sentences(text, sentences);
                expect_learner(learner, self.padding());
                const Unlocked unlocked;
                return train_coarse(self, learner, text, nodes, sentences, threads);
            },
            "learner"_a, "text"_a, "gold"_a, "sentences"_a, "threads"_a)
        .def(
            "differentiate",
            [](const CoarseModel& self, OnlineLearner& learner, const SpanText& text, const NodeArray& gold,
               std::size_t sentence) {
                check_sentences(text, {sentence});
                expect_learner(learner, self.padding());
                const SpanNode* nodes = gold_of(self.grammar(), text, gold) + text.first_node(sentence);
                SparseSum sum;
                const double loss = self.differentiate(text.sentence(sentence), learner.weights(), nodes, sum);
                return std::make_tuple(loss, plain_gradient(sum));
            },
            "learner"_a, "text"_a, "gold"_a, "sentence"_a)
        .def(
            "pruning",
            [](const CoarseModel& self, const LoadedWeights& weights, PruningPair pruning, const SpanText& text,
               const NodeArray& gold, int threads) {
                const SpanNode* nodes = gold_of(self.grammar(), text, gold);
                const ShortWeights table = weights.table(self.padding());
                const Unlocked unlocked;
                const PruningReport found = measure_pruning(self, table, pruning_of(pruning), text, nodes, threads);
                return std::make_tuple(found.kept, found.gold, found.lost);
            },
            "weights"_a, "pruning"_a, "text"_a, "gold"_a, "threads"_a,
            "How many nodes are kept, how many gold ones there are, how many of those are lost.")
        .def(
            "scores",
            [](const CoarseModel& self, const LoadedWeights& weights, const SpanText& text, std::size_t sentence) {
                check_sentences(text, {sentence});
                CoarseScores scores;
                self.score(text.sentence(sentence), weights.table(self.padding()), scores);
                std::vector<SpanNode> nodes;
                self.probable_nodes(scores, {0}, nodes);
                std::vector<double> values;
                for (const auto& [start, end, symbol] : nodes) values.push_back(scores.row(start, end)[symbol]);
                return nb::make_tuple(array_of_nodes(nodes), array_of(values));
            },
            "weights"_a, "text"_a, "sentence"_a,
            nb::sig("def scores(self, weights: ShortWeights, text: SpanText, sentence: int) "
                    "-> tuple[typing.Any, typing.Any]"),
            "All nodes that there could be, and their scores.")
        .def(
            "probable_nodes",
            [](const CoarseModel& self, const LoadedWeights& weights, PruningPair pruning, const SpanText& text,
               std::size_t sentence) {
                check_sentences(text, {sentence});
                CoarseScores scores;
                self.score(text.sentence(sentence), weights.table(self.padding()), scores);
                std::vector<SpanNode> nodes;
                self.probable_nodes(scores, pruning_of(pruning), nodes);
                return array_of_nodes(nodes);
            },
            "weights"_a, "pruning"_a, "text"_a, "sentence"_a)
        .def(
            "find_nodes",
            [](const CoarseModel& self, const LoadedWeights& weights, PruningPair pruning, const SpanText& text,
               const NodeArray& gold, const std::vector<std::size_t>& sentences, SentenceNodes& nodes, int threads) {
                const SpanNode* right = gold_of(self.grammar(), text, gold);
                const ShortWeights table = weights.table(self.padding());
                check_sentences(text, sentences);
                nodes.each.resize(text.sentences());
                const Unlocked unlocked;
                find_training_nodes(self, table, pruning_of(pruning), text, right, sentences, threads, nodes.each);
            },
            "weights"_a, "pruning"_a, "text"_a, "gold"_a, "sentences"_a, "nodes"_a, "threads"_a,
            "Sets the nodes of charts of some sentences: those that are kept, and the gold ones.");
}

void bind_tree_model(nb::module_& m) {
    nb::class_<SpanModel>(m, "SpanModel", "A span parser's model of trees, without its weights.")
        .def(
            "__init__",
            [](SpanModel* self, const SpanGrammar& grammar, const std::vector<TemplateSpec>& nodes,
               const std::vector<TemplateSpec>& rules) {
                new (self) SpanModel(grammar, span_templates(nodes), span_templates(rules));
            },
            "grammar"_a, "nodes"_a, "rules"_a)
        .def_prop_ro("padding", &SpanModel::padding, "How many weights follow the table's power of two.")
        .def(
            "train",
            [](const SpanModel& self, OnlineLearner& learner, const SpanText& text, const SentenceNodes& nodes,
               const NodeArray& gold, const std::vector<std::size_t>& sentences, double beta, double gamma,
               int threads) {
                const SpanNode* right = gold_of(self.grammar(), text, gold);
                expect_length(nodes.each.size(), text.sentences(), "nodes");
                check_sentences(text, sentences);
                expect_learner(learner, self.padding());
                for (std::size_t s : sentences)
                    for (const SpanNode& node : nodes.each[s])
                        check_node(self.grammar(), text.sentence(s).count(), node);
                const Unlocked unlocked;
                return train_spans(self, learner, text, nodes.each, right, sentences, {beta, gamma}, threads);
            },
            "learner"_a, "text"_a, "nodes"_a, "gold"_a, "sentences"_a, "beta"_a, "gamma"_a, "threads"_a,
            "Learns by a batch of sentences; returns the sum of their losses.")
        .def(
            "differentiate",
            [](const SpanModel& self, OnlineLearner& learner, const SpanText& text, const NodeArray& nodes,
               const NodeArray& gold, std::size_t sentence, double beta, double gamma) {
                check_sentences(text, {sentence});
                expect_learner(learner, self.padding());
                const SpanNode* right = gold_of(self.grammar(), text, gold) + text.first_node(sentence);
                const std::vector<SpanNode> own = checked_nodes(self.grammar(), text.sentence(sentence).count(), nodes);
                SparseSum sum;
                const double loss =
                    differentiate(self, learner.weights(), text.sentence(sentence), own, right, {beta, gamma}, sum);
                return std::make_tuple(loss, plain_gradient(sum));
            },
            "learner"_a, "text"_a, "nodes"_a, "gold"_a, "sentence"_a, "beta"_a, "gamma"_a,
            "The loss of a sentence, and its gradient by weights.");
}

}  // namespace

void bind_span_models(nb::module_& m) {
    bind_coarse_model(m);
    bind_tree_model(m);
}

}  // namespace arbora
