// arbora._core's scorers: what gives a batch of sentences scores, and all that is found by them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <climits>
#include <cmath>
#include <numeric>

#include "annotating.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "interruption.hpp"
#include "outcomes.hpp"
#include "parsing.hpp"
#include "parsing/judging.hpp"
#include "parsing/parses.hpp"
#include "scoring.hpp"
#include "support/parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

void check_sentence(const Scorer& scorer, std::size_t sentence) {
    expect_place(sentence, scorer.sentences(), "sentence");
}

using ForbiddenSpecs = std::optional<std::vector<ArcSpec>>;

// What is given for all sentences, in flat arrays; and what is forbidden.
struct GivenArrays {
    std::vector<std::size_t> starts;
    const int *heads, *labels;
    std::vector<ForbiddenArcs> forbidden;

    GivenArrays(const Scorer& scorer, const OptionalIntegers& given_heads, const OptionalIntegers& given_labels,
                const ForbiddenSpecs& specs)
        : starts(starts_of(scorer)),
          heads(checked_heads(scorer, 0, scorer.sentences(), given_heads, "given_heads")),
          labels(checked_numbers(scorer, 0, scorer.sentences(), given_labels, scorer.kinds().labels, "given_labels")) {
        if (!specs) return;
        expect_length(specs->size(), scorer.sentences(), "forbidden");
        for (std::size_t i = 0; i < specs->size(); ++i)
            forbidden.push_back(forbidden_arcs(scorer.length(i), (*specs)[i]));
    }
    Given of(std::size_t sentence) const {
        return {heads ? heads + starts[sentence] : nullptr, labels ? labels + starts[sentence] : nullptr, nullptr,
                forbidden.empty() ? nullptr : &forbidden[sentence]};
    }
};

Parses parse_scored(const Scorer& scorer, const TreeOptions& trees, bool least_risk, bool probabilities, int threads,
                    const OptionalIntegers& given_heads, const OptionalIntegers& given_labels,
                    const ForbiddenSpecs& forbidden) {
    const GivenArrays given(scorer, given_heads, given_labels, forbidden);
    Parses parses(lengths_of(scorer), {probabilities, scorer.kinds().tags > 0});
    const ParseOptions options = trees.parse_options(least_risk ? Decoder::least_risk : Decoder::best, probabilities);
    const Unlocked unlocked;
    parallel_for(scorer.sentences(), threads, [&](std::size_t i) {
        parses.run(i, [&](ParseRef& ref) { parse(scorer, i, given.of(i), options, ref); });
    });
    return parses;
}

// For every sentence (heads, labels, log-probabilities): a row for each tree, a column for each place; or why it has none.
nb::list kbest_scored(const Scorer& scorer, const TreeOptions& trees, int threads, int k,
                      const OptionalIntegers& given_heads, const OptionalIntegers& given_labels,
                      const ForbiddenSpecs& forbidden) {
    const GivenArrays given(scorer, given_heads, given_labels, forbidden);
    std::vector<std::vector<LabelledTree>> found(scorer.sentences());
    std::vector<std::string> reasons(scorer.sentences());
    {
        const Unlocked unlocked;
        parallel_for(scorer.sentences(), threads, [&](std::size_t i) {
            const auto find = [&] {
                found[i] = parse_kbest(scorer, i, given.of(i), trees.parse_options(Decoder::best, true), k);
            };
            reasons[i] = fault_of(scorer.length(i), find).reason;
        });
    }
    nb::list result;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t width = scorer.length(i) + 1;
        int *heads, *labels;
        double* scores;
        auto all_heads = new_array<int, 2>({found[i].size(), width}, heads);
        auto all_labels = new_array<int, 2>({found[i].size(), width}, labels);
        auto all_scores = new_array<double, 1>({found[i].size()}, scores);
        for (std::size_t t = 0; t < found[i].size(); ++t) {
            std::copy_n(found[i][t].heads.begin(), width, heads + t * width);
            std::copy_n(found[i][t].labels.begin(), width, labels + t * width);
            labels[t * width] = -1;
            scores[t] = found[i][t].score;
        }
        result.append(nb::make_tuple(std::move(all_heads), std::move(all_labels), std::move(all_scores), reasons[i]));
    }
    return result;
}

// Of one sentence, the probabilities of all heads and of all labels (ParseRef).
nb::tuple distributions(const Scorer& scorer, std::size_t sentence, const TreeOptions& trees,
                        const OptionalIntegers& given_heads, const OptionalIntegers& given_labels,
                        const ArcSpec& forbidden) {
    check_sentence(scorer, sentence);
    const int labels = scorer.kinds().labels;
    const std::size_t width = scorer.length(sentence) + 1;
    std::vector<int> h(width, -1), l(width, -1);
    std::vector<double> hp(width), lp(width);
    ParseRef result{h.data(), l.data(), hp.data(), lp.data(), 0};
    auto head_table = new_array<double, 2>({width, width}, result.head_table);
    auto label_table = new_array<double, 2>({width, static_cast<std::size_t>(labels)}, result.label_table);
    std::fill_n(result.head_table, width * width, 0.0);
    std::fill_n(result.label_table, width * labels, 0.0);
    const int* heads = checked_heads(scorer, sentence, sentence + 1, given_heads, "given_heads");
    const int* own_labels = checked_numbers(scorer, sentence, sentence + 1, given_labels, labels, "given_labels");
    const ForbiddenArcs arcs = forbidden_arcs(scorer.length(sentence), forbidden);
    {
        nb::gil_scoped_release release;
        parse(scorer, sentence, {heads, own_labels, nullptr, &arcs}, trees.parse_options(Decoder::best, true), result);
    }
    return nb::make_tuple(head_table, label_table);
}

// Judgement as plain data: (error, log-probability, probabilities of heads and labels, best heads and labels, probabilities
// of those, choices of heads and labels), the words' from 1.
nb::tuple tuple_of(const Judgement& judgement, const std::string& error) {
    const auto words = [](const auto& values) { return nb::cast(std::vector(values.begin() + 1, values.end())); };
    const auto choices = [](const std::vector<std::vector<Choice>>& listed) {
        nb::list result;
        for (std::size_t m = 1; m < listed.size(); ++m) {
            nb::list own;
            for (const Choice& each : listed[m]) own.append(nb::make_tuple(each.number, each.probability));
            result.append(own);
        }
        return result;
    };
    return nb::make_tuple(error, judgement.log_probability, words(judgement.head_probabilities),
                          words(judgement.label_probabilities), words(judgement.best_heads),
                          words(judgement.best_labels), words(judgement.best_probabilities), choices(judgement.heads),
                          choices(judgement.labels));
}

nb::list judge_scored(const Scorer& scorer, const TreeOptions& trees, bool least_risk, int threads,
                      const Array<const int>& heads, const Array<const int>& labels, std::optional<double> least) {
    const std::vector<std::size_t> starts = starts_of(scorer);
    const int* all_heads = checked_heads(scorer, 0, scorer.sentences(), heads, "heads");
    for (std::size_t i = 0; i < scorer.sentences(); ++i)
        for (int m = 1; m <= scorer.length(i); ++m)
            if (all_heads[starts[i] + m] == m) throw nb::value_error("heads: a word is its own head");
    expect_length(labels, starts.back(), "labels");
    expect_all_between(labels.data(), labels.size(), unknown_label, scorer.kinds().labels - 1, "labels");
    const ParseOptions options = trees.parse_options(least_risk ? Decoder::least_risk : Decoder::best, true);
    std::vector<Judgement> found(scorer.sentences());
    std::vector<std::string> errors(scorer.sentences());
    {
        nb::gil_scoped_release release;
        parallel_for(scorer.sentences(), threads, [&](std::size_t i) {
            const int *own = all_heads + starts[i], *own_labels = labels.data() + starts[i];
            errors[i] = fault_of(scorer.length(i), [&] {
                            found[i] = judge(scorer, i, own, own_labels, options, least.value_or(INFINITY));
                        }).reason;
            if (!errors[i].empty()) found[i] = Judgement{{0}, {0}, 0, {0}, {0}, {0}, {}, {}};
        });
    }
    nb::list result;
    for (std::size_t i = 0; i < found.size(); ++i) result.append(tuple_of(found[i], errors[i]));
    return result;
}

// Seconds by stage that a parse of all sentences takes, one after the other.
nb::dict time_stages(const Scorer& scorer, const TreeOptions& trees) {
    StageTimes times;
    ParseOptions options = trees.parse_options(Decoder::best, false);
    options.times = &times;
    {
        const Unlocked unlocked;
        for (std::size_t i = 0; i < scorer.sentences(); ++i) {
            std::vector<int> heads(scorer.length(i) + 1, -1), labels(scorer.length(i) + 1, -1);
            ParseRef result{heads.data(), labels.data(), nullptr, nullptr, 0};
            parse(scorer, i, {}, options, result);
        }
    }
    nb::dict result;
    result["pruning"] = times.pruning;
    result["features"] = times.features;
    result["graphs"] = times.graphs;
    result["inference"] = times.inference - times.graphs;  // graphs are made meanwhile
    result["labels"] = times.labels;
    return result;
}

// ---- scores of one sentence, for graphs of Python ----

ArcSpec choose(const Scorer& scorer, std::size_t sentence, const TreeOptions& trees,
               const OptionalIntegers& given_heads, const OptionalIntegers& given_labels, const ArcSpec& forbidden) {
    check_sentence(scorer, sentence);
    ArcSpec result;
    if (scorer.length(sentence) == 0) return result;
    const ForbiddenArcs arcs = forbidden_arcs(scorer.length(sentence), forbidden);
    const Given given{
        checked_heads(scorer, sentence, sentence + 1, given_heads, "given_heads"),
        checked_numbers(scorer, sentence, sentence + 1, given_labels, scorer.kinds().labels, "given_labels"), nullptr,
        &arcs};
    for (const Arc& arc : scorer.begin(sentence)->choose(given, trees.kind, nullptr))
        result.emplace_back(arc.head, arc.modifier);
    return result;
}

std::vector<Arc> arcs_of(const Scorer& scorer, std::size_t sentence, const ArcSpec& spec) {
    check_sentence(scorer, sentence);
    std::vector<Arc> result;
    for (const auto& [head, modifier] : spec) {
        if (head < 0 || head > scorer.length(sentence) || modifier < 1 || modifier > scorer.length(sentence) ||
            head == modifier)
            throw nb::value_error("there is no such arc");
        result.push_back({head, modifier});
    }
    return result;
}

// One score for each arc, as graphs take them: of its best label, or the logarithm of the sum over labels.
nb::object arc_totals(const Scorer& scorer, std::size_t sentence, const ArcSpec& spec, bool sums,
                      const OptionalIntegers& given_labels) {
    const std::vector<Arc> arcs = arcs_of(scorer, sentence, spec);
    const int* labels =
        checked_numbers(scorer, sentence, sentence + 1, given_labels, scorer.kinds().labels, "given_labels");
    ArcTotals found;
    scorer.begin(sentence)->score_arcs(arcs, labels, sums ? ArcTotal::sums : ArcTotal::learned, found);
    return array_of(sums ? found.sums : found.learned);
}

// Of every label of every arc: as arcs have them, or else as they follow a tree that nobody knows yet.
nb::object label_scores_of(const Scorer& scorer, std::size_t sentence, const ArcSpec& spec) {
    const std::vector<Arc> arcs = arcs_of(scorer, sentence, spec);
    const ScoreKinds kinds = scorer.kinds();
    const auto labels = static_cast<std::size_t>(kinds.labels);
    const auto own = scorer.begin(sentence);
    double* data;
    auto result = new_array<double, 2>({arcs.size(), labels}, data);
    Candidates candidates;
    candidates.n = scorer.length(sentence);
    candidates.arcs = arcs;
    if (!kinds.hidden_labels) own->score(nullptr, candidates);
    for (std::size_t a = 0; a < arcs.size() && labels; ++a) {
        const double* row = candidates.labels ? candidates.scores.data() + a * labels
                                              : own->score_labels({arcs[a].head, {arcs[a].modifier}}, nullptr).unary;
        std::copy_n(row, labels, data + a * labels);
    }
    return nb::cast(result);
}

// For every kind of part: the words (head, modifier, third, fourth), the codes, the scores.
nb::list part_scores_of(const Scorer& scorer, std::size_t sentence, const ArcSpec& spec) {
    const std::vector<Arc> arcs = arcs_of(scorer, sentence, spec);
    SentenceParts parts;
    scorer.begin(sentence)->score_parts(arcs, parts);
    nb::list result;
    for (int k = 0; k < part_kind_count; ++k) {
        const std::size_t count = parts.parts[k].size();
        int *words, *codes;
        double* scores;
        auto all_words = new_array<int, 2>({count, 4}, words);
        auto all_codes = new_array<int, 1>({count}, codes);
        auto all_scores = new_array<double, 1>({count}, scores);
        for (std::size_t i = 0; i < count; ++i) {
            const Part& part = parts.parts[k][i];
            for (int word : {part.head, part.modifier, part.third, part.fourth}) *words++ = word;
            codes[i] = part_kind(k).code(part);
            scores[i] = scorer.kinds().part_scale * parts.scores[k][i];
        }
        result.append(nb::make_tuple(std::move(all_words), std::move(all_codes), std::move(all_scores)));
    }
    return result;
}

// How many tags each word may have; and the scores of tags, of two that arcs between words link, of two and of three in a
// row: flat.
nb::tuple tag_scores_of(const Scorer& scorer, std::size_t sentence, const ArcSpec& spec) {
    const std::vector<Arc> arcs = arcs_of(scorer, sentence, spec);
    SentenceParts parts;
    scorer.begin(sentence)->score_parts(arcs, parts);
    parts.tags.multiply(scorer.kinds().part_scale);
    std::vector<int> counts;
    for (int word = 1; !parts.tags.empty() && word <= scorer.length(sentence); ++word)
        counts.push_back(parts.tags.count(word));
    return nb::make_tuple(counts, array_of(parts.tags.words), array_of(parts.tags.links), array_of(parts.tags.bigrams),
                          array_of(parts.tags.trigrams));
}

// A scorer with the parser that it looks at.
struct ParserOfScorer {
    LinearParser parser;
};
struct BoundLinearScorer : ParserOfScorer, LinearScorer {
    BoundLinearScorer(const LinearModel& model, const LoadedWeights& weights, const LoadedWeights& pruner_weights,
                      const Encoded& encoded)
        : ParserOfScorer{parser_of(model, weights, pruner_weights)}, LinearScorer(parser, encoded) {
        check_tags(model, encoded);
    }
};

}  // namespace

void bind_scoring(nb::module_& m) {
    nb::class_<Scorer> scorers(
        m, "Scorer",
        "The scores of a batch of sentences, and all that is found by them. What is given beforehand are "
        "flat arrays with n + 1 places for each sentence; -1 is not known.");
    scorers.def("__len__", &Scorer::sentences)
        .def_prop_ro("lengths", &lengths_of)
        .def_prop_ro("labels_follow", [](const Scorer& self) { return self.kinds().labels_follow; })
        .def_prop_ro("has_parts", [](const Scorer& self) { return self.kinds().parts; })
        .def(
            "may_have_label",
            [](const Scorer& self, int head, int label) {
                expect_between(head, 0, INT_MAX, "head");
                expect_between(label, 0, self.kinds().labels - 1, "label");
                return self.may_have_label(head, label);
            },
            "head"_a, "label"_a)
        .def("parse", &parse_scored, "trees"_a, "least_risk"_a, "probabilities"_a, "threads"_a,
             "given_heads"_a = nb::none(), "given_labels"_a = nb::none(), "forbidden"_a = nb::none())
        .def("kbest", &kbest_scored, "trees"_a, "threads"_a, "k"_a, "given_heads"_a = nb::none(),
             "given_labels"_a = nb::none(), "forbidden"_a = nb::none(),
             nb::sig("def kbest(self, trees: TreeOptions, threads: int, k: int, given_heads: typing.Any = None, "
                     "given_labels: typing.Any = None, forbidden: list[list[tuple[int, int]]] | None = None) "
                     "-> list[typing.Any]"),
             "For every sentence (heads, labels, log-probabilities, why there are none): a row for each tree, a column "
             "for each place.")
        .def("distributions", &distributions, "sentence"_a, "trees"_a, "given_heads"_a = nb::none(),
             "given_labels"_a = nb::none(), "forbidden"_a = ArcSpec{},
             nb::sig("def distributions(self, sentence: int, trees: TreeOptions, given_heads: typing.Any = None, "
                     "given_labels: typing.Any = None, forbidden: list[tuple[int, int]] = []) "
                     "-> tuple[typing.Any, typing.Any]"),
             "Of one sentence, the probabilities of heads ((n+1) x (n+1), row by head) and of labels of the best "
             "tree's arcs ((n+1) x labels).")
        .def(
            "judge", &judge_scored, "trees"_a, "least_risk"_a, "threads"_a, "heads"_a, "labels"_a,
            "least"_a = nb::none(),
            nb::sig("def judge(self, trees: TreeOptions, least_risk: bool, threads: int, heads: typing.Any, "
                    "labels: typing.Any, least: float | None = None) -> list[typing.Any]"),
            "What the scores say of trees that are there: for every sentence (error, log-probability, probabilities of "
            "heads and labels, best heads and labels, probabilities of those, choices of heads and labels). A label "
            "that has no number is -2.")
        .def("time_stages", &time_stages, "trees"_a,
             nb::sig("def time_stages(self, trees: TreeOptions) -> dict[str, float]"),
             "Seconds by stage that a parse of all sentences takes, one after the other.")
        .def("choose", &choose, "sentence"_a, "trees"_a, "given_heads"_a = nb::none(), "given_labels"_a = nb::none(),
             "forbidden"_a = ArcSpec{}, "A sentence's candidate arcs as (head, modifier), by modifier, then head.")
        .def("arc_totals", &arc_totals, "sentence"_a, "arcs"_a, "sums"_a, "given_labels"_a = nb::none(),
             nb::sig("def arc_totals(self, sentence: int, arcs: list[tuple[int, int]], sums: bool, "
                     "given_labels: typing.Any = None) -> typing.Any"),
             "One score for each arc: of its best label, or the logarithm of the sum over labels.")
        .def("label_scores", &label_scores_of, "sentence"_a, "arcs"_a,
             nb::sig("def label_scores(self, sentence: int, arcs: list[tuple[int, int]]) -> typing.Any"),
             "Scores of the labels of arcs, arcs x labels; those that follow a tree, without one.")
        .def("part_scores", &part_scores_of, "sentence"_a, "arcs"_a,
             nb::sig("def part_scores(self, sentence: int, arcs: list[tuple[int, int]]) -> list[typing.Any]"),
             "For every kind of part (words, codes, scores), the words being head, modifier, third, fourth.")
        .def("tag_scores", &tag_scores_of, "sentence"_a, "arcs"_a,
             nb::sig("def tag_scores(self, sentence: int, arcs: list[tuple[int, int]]) "
                     "-> tuple[list[int], typing.Any, typing.Any, typing.Any, typing.Any]"),
             "How many tags words may have, and scores of tags, of linked tags, of two and three in a row, flat.");
    bind_annotating(scorers);
    nb::class_<BoundLinearScorer, Scorer>(m, "LinearScorer", "The scores of encoded sentences by a linear model.")
        .def(nb::init<const LinearModel&, const LoadedWeights&, const LoadedWeights&, const Encoded&>(), "model"_a,
             "weights"_a, "pruner_weights"_a, "encoded"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>());
    bind_array_scorer(m);
}
