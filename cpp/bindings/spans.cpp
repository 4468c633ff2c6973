// arbora._core's span parser: texts, grammars, forests, the parser.
#include "spans.hpp"
#include "interruption.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <climits>

#include "strings.hpp"
#include "support/parallel.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

// Constituents as (start, end, symbol), and the log-probability.
using TreeTuple = std::tuple<std::vector<std::tuple<int, int, int>>, double>;
// Start, end, whether it is required, 0 or 1 for every symbol.
using ConstraintTuple = std::tuple<int, int, bool, std::vector<std::uint8_t>>;

void make_span_text(SpanText* self, nb::list sentences) {
    SpanText text;
    std::vector<std::string_view> forms, tags;
    for (nb::handle sentence : sentences) {
        const auto pair = nb::cast<nb::tuple>(sentence);
        expect_length(pair.size(), 2, "a sentence's columns");
        forms.clear();
        tags.clear();
        for (nb::handle form : pair[0]) forms.push_back(text_of(form));
        for (nb::handle tag : pair[1]) tags.push_back(text_of(tag));
        expect_length(tags.size(), forms.size(), "tags");
        if (forms.empty()) throw nb::value_error("forms: a sentence needs a word at least");
        text.add_sentence(forms, tags);
    }
    new (self) SpanText(std::move(text));
}

TreeTuple tuple_of(const FoundTree& tree) {
    std::vector<std::tuple<int, int, int>> nodes;
    for (const SpanNode& node : tree.nodes) nodes.emplace_back(node.start, node.end, node.symbol);
    return {std::move(nodes), tree.log_probability};
}

// A parser with what it looks at.
struct LoadedSpanParser {
    SpanParser parser;

    LoadedSpanParser(const CoarseModel& coarse, const LoadedWeights& coarse_weights, PruningPair pruning,
                     const SpanModel& model, const LoadedWeights& weights, double scale)
        : parser{&coarse, coarse_weights.table(coarse.padding()), pruning_of(pruning),
                 &model,  weights.table(model.padding()),         scale} {}
};

std::vector<SpanConstraint> constraints_of(const SpanGrammar& grammar, int n,
                                           const std::vector<ConstraintTuple>& given) {
    std::vector<SpanConstraint> result;
    for (const auto& [start, end, is_required, allowed] : given) {
        expect_between(start, 0, n - 1, "starts of constraints");
        expect_between(end, start + 1, n, "ends of constraints");
        expect_length(allowed.size(), grammar.symbols(), "symbols of a constraint");
        result.push_back({start, end, is_required, allowed});
    }
    return result;
}

std::vector<std::vector<SpanConstraint>> all_constraints(const SpanGrammar& grammar, const SpanText& text,
                                                         const std::vector<std::vector<ConstraintTuple>>& given) {
    if (!given.empty()) expect_length(given.size(), text.sentences(), "constraints");
    std::vector<std::vector<SpanConstraint>> result(text.sentences());
    for (std::size_t s = 0; s < given.size(); ++s)
        result[s] = constraints_of(grammar, text.sentence(s).count(), given[s]);
    return result;
}

// What is read off the forest of a sentence: trees by(forest, sentence), none if there is none at all; and, if they are
// asked for, the nodes of the chart and how probable each is.
template <class By>
nb::list read_forests(const LoadedSpanParser& self, const SpanText& text,
                      const std::vector<std::vector<ConstraintTuple>>& given, bool probabilities, int threads, By by) {
    struct Reading {
        std::vector<TreeTuple> trees;
        std::vector<SpanNode> nodes;
        std::vector<double> probabilities;
    };
    const auto constraints = all_constraints(self.parser.model->grammar(), text, given);
    std::vector<Reading> each(text.sentences());
    {
        const Unlocked unlocked;
        parallel_for(text.sentences(), threads, [&](std::size_t s) {
            thread_local SpanForest forest;
            if (!forest.parse(self.parser, text.sentence(s), constraints[s])) return;
            for (const FoundTree& tree : by(forest, s)) each[s].trees.push_back(tuple_of(tree));
            if (!probabilities) return;
            each[s].nodes = forest.chart().nodes();
            const auto& found = forest.probabilities();
            each[s].probabilities.assign(found.begin(), found.begin() + forest.chart().node_count());
        });
    }
    nb::list result;
    for (const Reading& own : each)
        result.append(nb::make_tuple(own.trees, array_of_nodes(own.nodes), array_of(own.probabilities)));
    return result;
}

std::vector<FoundTree> draw(SpanForest& forest, int count, std::uint64_t seed, std::size_t stream) {
    Random random(seed, stream);
    std::vector<FoundTree> trees;
    for (int i = 0; i < count; ++i) trees.push_back(forest.sample(random));
    return trees;
}

// A forest with the grammar that it looks at.
struct LoadedForest {
    SpanGrammar grammar;
    SpanForest forest;
};

void bind_forests(nb::module_& m) {
    nb::class_<LoadedForest>(m, "SpanForest", "Trees of given nodes with given scores.")
        .def(
            "__init__",
            [](LoadedForest* self, const SpanGrammar& grammar, int n, const NodeArray& nodes) {
                expect_between(n, 1, INT_MAX, "n");
                std::vector<SpanNode> own = checked_nodes(grammar, n, nodes);
                new (self) LoadedForest{grammar, {}};
                self->forest.build(self->grammar, n, std::move(own));
            },
            "grammar"_a, "n"_a, "nodes"_a)
        .def_prop_ro("nodes", [](const LoadedForest& self) { return array_of_nodes(self.forest.chart().nodes()); })
        .def_prop_ro("rules",
                     [](const LoadedForest& self) {
                         std::vector<SpanNode> rules;
                         for (const SpanRule& rule : self.forest.chart().rules())
                             rules.push_back({rule.parent, rule.left, rule.right});
                         return array_of_nodes(rules);
                     })
        .def(
            "set_scores",
            [](LoadedForest& self, const Array<const double>& scores) {
                const SpanChart& chart = self.forest.chart();
                expect_length(scores, chart.leaf_count(), "scores");
                return self.forest.set(self.grammar, chart.words(), chart.nodes(), scores.data());
            },
            "scores"_a, "Scores of nodes, then of rules; returns whether there is a tree.")
        .def_prop_ro("log_partition", [](const LoadedForest& self) { return self.forest.log_partition(); })
        .def("probabilities", [](LoadedForest& self) { return array_of(self.forest.probabilities()); })
        .def("kbest",
             [](LoadedForest& self, int k) {
                 std::vector<TreeTuple> result;
                 for (const FoundTree& tree : self.forest.kbest(k)) result.push_back(tuple_of(tree));
                 return result;
             })
        .def("minimum_risk", [](LoadedForest& self) { return tuple_of(self.forest.minimum_risk()); })
        .def(
            "samples",
            [](LoadedForest& self, int count, std::uint64_t seed) {
                std::vector<TreeTuple> result;
                for (const FoundTree& tree : draw(self.forest, count, seed, 0)) result.push_back(tuple_of(tree));
                return result;
            },
            "count"_a, "seed"_a)
        .def(
            "loss",
            [](LoadedForest& self, const Array<const double>& scores, const NodeArray& gold, double beta,
               double gamma) {
                const SpanChart& chart = self.forest.chart();
                expect_length(scores, chart.leaf_count(), "scores");
                expect_shape(gold, {static_cast<std::size_t>(2 * chart.words() - 1), 3}, "gold");
                const std::vector<SpanNode> own = checked_nodes(self.grammar, chart.words(), gold);
                std::vector<double> gradient;
                const double loss = span_loss(chart, scores.data(), own.data(), {beta, gamma}, gradient);
                return nb::make_tuple(loss, array_of(gradient));
            },
            "scores"_a, "gold"_a, "beta"_a, "gamma"_a);
}

}  // namespace

void bind_spans(nb::module_& m) {
    m.def("run_atom_names", [] { return std::vector<std::string>(run_atom_names.begin(), run_atom_names.end()); });
    m.def("rule_view_names", [] { return std::vector<std::string>(rule_view_names.begin(), rule_view_names.end()); });
    nb::class_<SpanText>(m, "SpanText", "Tagged sentences.")
        .def("__init__", &make_span_text, "sentences"_a)
        .def("__len__", &SpanText::sentences)
        .def_prop_ro("words", &SpanText::words)
        .def("checksum", &SpanText::checksum);
    nb::class_<SpanGrammar>(m, "SpanGrammar", "The symbols of binarised trees.")
        .def(nb::init<const std::vector<std::string>&, std::vector<std::vector<int>>, int, bool>(), "names"_a,
             "chains"_a, "complete"_a, "grows_right"_a)
        .def_prop_ro("symbols", &SpanGrammar::symbols);
    bind_span_models(m);
    bind_forests(m);
    nb::class_<LoadedSpanParser>(m, "SpanParser", "A span parser with its weights.")
        .def(nb::init<const CoarseModel&, const LoadedWeights&, PruningPair, const SpanModel&, const LoadedWeights&,
                      double>(),
             "coarse"_a, "coarse_weights"_a, "pruning"_a, "model"_a, "weights"_a, "scale"_a, nb::keep_alive<1, 2>(),
             nb::keep_alive<1, 3>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>())
        .def(
            "tree_costs",
            [](const LoadedSpanParser& self, const SpanText& text, const NodeArray& gold,
               const std::vector<double>& scales, int threads) {
                const SpanNode* nodes = gold_of(self.parser.model->grammar(), text, gold);
                const Unlocked unlocked;
                return measure_tree_costs(self.parser, text, nodes, scales, threads);
            },
            "text"_a, "gold"_a, "scales"_a, "threads"_a,
            "For every scale of the scores the sum of -log P(tree) over the gold trees that are in their charts.")
        .def(
            "kbest",
            [](const LoadedSpanParser& self, const SpanText& text, int k,
               const std::vector<std::vector<ConstraintTuple>>& constraints, bool probabilities, int threads) {
                return read_forests(self, text, constraints, probabilities, threads,
                                    [k](SpanForest& forest, std::size_t) { return forest.kbest(k); });
            },
            "text"_a, "k"_a, "constraints"_a, "probabilities"_a, "threads"_a,
            "For every sentence (trees, nodes of the chart, their probabilities); with k = 0 there are no trees.")
        .def(
            "minimum_risk",
            [](const LoadedSpanParser& self, const SpanText& text,
               const std::vector<std::vector<ConstraintTuple>>& constraints, bool probabilities, int threads) {
                return read_forests(
                    self, text, constraints, probabilities, threads,
                    [](SpanForest& forest, std::size_t) { return std::vector<FoundTree>{forest.minimum_risk()}; });
            },
            "text"_a, "constraints"_a, "probabilities"_a, "threads"_a)
        .def(
            "samples",
            [](const LoadedSpanParser& self, const SpanText& text, int count, std::uint64_t seed,
               const std::vector<std::vector<ConstraintTuple>>& constraints, int threads) {
                return read_forests(self, text, constraints, false, threads,
                                    [=](SpanForest& forest, std::size_t s) { return draw(forest, count, seed, s); });
            },
            "text"_a, "count"_a, "seed"_a, "constraints"_a, "threads"_a);
}
