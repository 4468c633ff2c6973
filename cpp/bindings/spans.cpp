// arbora._core's span parser: texts, grammars, both models, forests.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "outcomes.hpp"
#include "spans/forest.hpp"
#include "spans/training.hpp"
#include "strings.hpp"
#include "support/parallel.hpp"
#include "templates.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

using NodeArray = Array<const int, 2>;
// Constituents as (start, end, symbol), and the log-probability.
using TreeTuple = std::tuple<std::vector<std::tuple<int, int, int>>, double>;
// The threshold, and how many nodes stay for each word.
using PruningPair = std::tuple<double, int>;
// Start, end, whether it is required, 0 or 1 for every symbol.
using ConstraintTuple = std::tuple<int, int, bool, std::vector<std::uint8_t>>;

Pruning pruning_of(const PruningPair& pair) {
    if (!(std::get<0>(pair) >= 0) || std::get<1>(pair) < 0) throw nb::value_error("pruning must not be negative");
    return {std::get<0>(pair), std::get<1>(pair)};
}

std::vector<SpanTemplate> span_templates(const std::vector<TemplateSpec>& specs) {
    std::vector<SpanTemplate> result;
    for (const auto& [seed, atoms, qualifiers] : specs) {
        SpanTemplateSpec spec{seed, {}, {qualifiers.begin(), qualifiers.end()}};
        for (const auto& [place, offset, name] : atoms) spec.atoms.push_back({place, offset, name});
        result.push_back(make_template(spec));
    }
    return result;
}

void make_span_text(SpanText* self, nb::list sentences) {
    SpanText text;
    std::vector<std::string_view> forms, tags;
    for (nb::handle sentence : sentences) {
        const auto pair = nb::cast<nb::tuple>(sentence);
        forms.clear();
        tags.clear();
        for (nb::handle form : pair[0]) forms.push_back(text_of(form));
        for (nb::handle tag : pair[1]) tags.push_back(text_of(tag));
        text.add_sentence(forms, tags);
    }
    new (self) SpanText(std::move(text));
}

static_assert(sizeof(SpanNode) == 3 * sizeof(int));
const SpanNode* nodes_of(const NodeArray& array) { return reinterpret_cast<const SpanNode*>(array.data()); }

// The gold nodes of a text: their number, and that every one could be in a chart, is checked once for all.
const SpanNode* gold_of(const SpanGrammar& grammar, const SpanText& text, const NodeArray& array) {
    if (array.shape(1) != 3 || array.shape(0) != text.first_node(text.sentences()))
        throw nb::value_error("every sentence of n words needs 2n - 1 nodes");
    for (std::size_t s = 0; s < text.sentences(); ++s)
        for (std::size_t i = text.first_node(s); i < text.first_node(s + 1); ++i) {
            const SpanNode& node = nodes_of(array)[i];
            const int n = text.sentence(s).count(), words = node.end - node.start;
            if (node.start < 0 || words < 1 || node.end > n || node.symbol < grammar.first_symbol(words) ||
                node.symbol >= grammar.last_symbol(words, words == n))
                throw nb::value_error("some node is none");
        }
    return nodes_of(array);
}

// The nodes of charts, for every sentence of a text.
struct SentenceNodes {
    std::vector<std::vector<SpanNode>> each;
};

void check_sentences(const SpanText& text, const std::vector<std::size_t>& sentences) {
    for (std::size_t sentence : sentences)
        if (sentence >= text.sentences()) throw nb::index_error("there is no such sentence");
}

TreeTuple tuple_of(const FoundTree& tree) {
    std::vector<std::tuple<int, int, int>> nodes;
    for (const SpanNode& node : tree.nodes) nodes.emplace_back(node.start, node.end, node.symbol);
    return {std::move(nodes), tree.log_probability};
}

nb::object array_of_nodes(const std::vector<SpanNode>& nodes) {
    int* data;
    auto array = new_array<int, 2>({nodes.size(), 3}, data);
    for (const SpanNode& node : nodes) {
        *data++ = node.start;
        *data++ = node.end;
        *data++ = node.symbol;
    }
    return nb::cast(array);
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
        if (start < 0 || start >= end || end > n || static_cast<int>(allowed.size()) != grammar.symbols())
            throw nb::value_error("some constraint is none");
        result.push_back({start, end, is_required, allowed});
    }
    return result;
}

std::vector<std::vector<SpanConstraint>> all_constraints(const SpanGrammar& grammar, const SpanText& text,
                                                         const std::vector<std::vector<ConstraintTuple>>& given) {
    if (!given.empty() && given.size() != text.sentences()) throw nb::value_error("every sentence needs constraints");
    std::vector<std::vector<SpanConstraint>> result(text.sentences());
    for (std::size_t s = 0; s < given.size(); ++s)
        result[s] = constraints_of(grammar, text.sentence(s).count(), given[s]);
    return result;
}

// What trees are read off a forest: by(forest, sentence) -> trees. Sentences without a tree have none.
template <class By>
std::vector<std::vector<TreeTuple>> read_forests(const LoadedSpanParser& self, const SpanText& text,
                                                 const std::vector<std::vector<ConstraintTuple>>& given, int threads,
                                                 By by) {
    const auto constraints = all_constraints(self.parser.model->grammar(), text, given);
    std::vector<std::vector<TreeTuple>> result(text.sentences());
    nb::gil_scoped_release release;
    parallel_for(text.sentences(), threads, [&](std::size_t s) {
        thread_local SpanForest forest;
        if (!forest.parse(self.parser, text.sentence(s), constraints[s])) return;
        for (const FoundTree& tree : by(forest, s)) result[s].push_back(tuple_of(tree));
    });
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
                if (n < 1 || nodes.shape(1) != 3) throw nb::value_error("nodes are rows of start, end, symbol");
                new (self) LoadedForest{grammar, {}};
                self->forest.build(self->grammar, n, {nodes_of(nodes), nodes_of(nodes) + nodes.shape(0)});
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
                if (static_cast<int>(scores.shape(0)) != chart.leaf_count())
                    throw nb::value_error("every node and every rule needs a score");
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
                if (static_cast<int>(scores.shape(0)) != chart.leaf_count() || gold.shape(1) != 3 ||
                    static_cast<int>(gold.shape(0)) != 2 * chart.words() - 1)
                    throw nb::value_error("every node and every rule needs a score, and n words 2n - 1 gold nodes");
                std::vector<double> gradient;
                const double loss = span_loss(chart, scores.data(), nodes_of(gold), {beta, gamma}, gradient);
                return nb::make_tuple(loss, array_of(gradient));
            },
            "scores"_a, "gold"_a, "beta"_a, "gamma"_a);
}

void bind_models(nb::module_& m) {
    nb::class_<SentenceNodes>(m, "SpanNodes", "The nodes of charts, for every sentence of a text.")
        .def(nb::init<>())
        .def("__getitem__",
             [](const SentenceNodes& self, std::size_t sentence) { return array_of_nodes(self.each.at(sentence)); });
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
                nb::gil_scoped_release release;
                return train_coarse(self, learner, text, nodes, sentences, threads);
            },
            "learner"_a, "text"_a, "gold"_a, "sentences"_a, "threads"_a)
        .def(
            "differentiate",
            [](const CoarseModel& self, OnlineLearner& learner, const SpanText& text, const NodeArray& gold,
               std::size_t sentence) {
                const SpanNode* nodes = gold_of(self.grammar(), text, gold) + text.first_node(sentence);
                SparseSum sum;
                const double loss = self.differentiate(text.sentence(sentence), learner.weights(), nodes, sum);
                std::vector<std::tuple<std::uint32_t, float>> gradient;
                sum.for_each([&](std::uint32_t index, float value) { gradient.emplace_back(index, value); });
                return std::make_tuple(loss, gradient);
            },
            "learner"_a, "text"_a, "gold"_a, "sentence"_a)
        .def(
            "pruning",
            [](const CoarseModel& self, const LoadedWeights& weights, PruningPair pruning, const SpanText& text,
               const NodeArray& gold, int threads) {
                const SpanNode* nodes = gold_of(self.grammar(), text, gold);
                const ShortWeights table = weights.table(self.padding());
                nb::gil_scoped_release release;
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
                nb::gil_scoped_release release;
                find_training_nodes(self, table, pruning_of(pruning), text, right, sentences, threads, nodes.each);
            },
            "weights"_a, "pruning"_a, "text"_a, "gold"_a, "sentences"_a, "nodes"_a, "threads"_a,
            "Sets the nodes of charts of some sentences: those that are kept, and the gold ones.");
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
                if (nodes.each.size() != text.sentences()) throw nb::value_error("every sentence needs its nodes");
                check_sentences(text, sentences);
                nb::gil_scoped_release release;
                return train_spans(self, learner, text, nodes.each, right, sentences, {beta, gamma}, threads);
            },
            "learner"_a, "text"_a, "nodes"_a, "gold"_a, "sentences"_a, "beta"_a, "gamma"_a, "threads"_a,
            "Learns by a batch of sentences; returns the sum of their losses.")
        .def(
            "differentiate",
            [](const SpanModel& self, OnlineLearner& learner, const SpanText& text, const NodeArray& nodes,
               const NodeArray& gold, std::size_t sentence, double beta, double gamma) {
                const SpanNode* right = gold_of(self.grammar(), text, gold) + text.first_node(sentence);
                SparseSum sum;
                const double loss =
                    differentiate(self, learner.weights(), text.sentence(sentence),
                                  {nodes_of(nodes), nodes_of(nodes) + nodes.shape(0)}, right, {beta, gamma}, sum);
                std::vector<std::tuple<std::uint32_t, float>> gradient;
                sum.for_each([&](std::uint32_t index, float value) { gradient.emplace_back(index, value); });
                return std::make_tuple(loss, gradient);
            },
            "learner"_a, "text"_a, "nodes"_a, "gold"_a, "sentence"_a, "beta"_a, "gamma"_a,
            "The loss of a sentence, and its gradient by weights.");
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
    bind_models(m);
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
                nb::gil_scoped_release release;
                return measure_tree_costs(self.parser, text, nodes, scales, threads);
            },
            "text"_a, "gold"_a, "scales"_a, "threads"_a,
            "For every scale of the scores the sum of -log P(tree) over the gold trees that are in their charts.")
        .def(
            "kbest",
            [](const LoadedSpanParser& self, const SpanText& text, int k,
               const std::vector<std::vector<ConstraintTuple>>& constraints, int threads) {
                return read_forests(self, text, constraints, threads,
                                    [k](SpanForest& forest, std::size_t) { return forest.kbest(k); });
            },
            "text"_a, "k"_a, "constraints"_a, "threads"_a)
        .def(
            "minimum_risk",
            [](const LoadedSpanParser& self, const SpanText& text,
               const std::vector<std::vector<ConstraintTuple>>& constraints, int threads) {
                return read_forests(self, text, constraints, threads, [](SpanForest& forest, std::size_t) {
                    return std::vector<FoundTree>{forest.minimum_risk()};
                });
            },
            "text"_a, "constraints"_a, "threads"_a)
        .def(
            "samples",
            [](const LoadedSpanParser& self, const SpanText& text, int count, std::uint64_t seed,
               const std::vector<std::vector<ConstraintTuple>>& constraints, int threads) {
                return read_forests(self, text, constraints, threads,
                                    [=](SpanForest& forest, std::size_t s) { return draw(forest, count, seed, s); });
            },
            "text"_a, "count"_a, "seed"_a, "constraints"_a, "threads"_a)
        .def(
            "probabilities",
            [](const LoadedSpanParser& self, const SpanText& text,
               const std::vector<std::vector<ConstraintTuple>>& given, int threads) {
                const auto constraints = all_constraints(self.parser.model->grammar(), text, given);
                std::vector<std::vector<SpanNode>> nodes(text.sentences());
                std::vector<std::vector<double>> probabilities(text.sentences());
                {
                    nb::gil_scoped_release release;
                    parallel_for(text.sentences(), threads, [&](std::size_t s) {
                        thread_local SpanForest forest;
                        if (!forest.parse(self.parser, text.sentence(s), constraints[s])) return;
                        nodes[s] = forest.chart().nodes();
                        const auto& found = forest.probabilities();
                        probabilities[s].assign(found.begin(), found.begin() + forest.chart().node_count());
                    });
                }
                nb::list result;
                for (std::size_t s = 0; s < text.sentences(); ++s)
                    result.append(nb::make_tuple(array_of_nodes(nodes[s]), array_of(probabilities[s])));
                return result;
            },
            "text"_a, "constraints"_a, "threads"_a,
            nb::sig("def probabilities(self, text: SpanText, constraints: collections.abc.Sequence[typing.Any], "
                    "threads: int) -> list[tuple[typing.Any, typing.Any]]"),
            "For every sentence the nodes of its chart, and how probable each is.");
}
