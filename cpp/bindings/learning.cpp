// arbora._core's losses, label chains and the online learner, for arbora.learning.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "interruption.hpp"
#include "linear/label_chains.hpp"
#include "linear/learner.hpp"
#include "parsing/losses.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

using Scores = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Gradient = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Optional = std::optional<Array<const double, 2>>;

// Scores of shape (n+1, n+1) or (n+1, n+1, labels) as candidates: every possible arc.
Candidates all_arcs(const Scores& scores) {
    if (scores.ndim() != 2 && scores.ndim() != 3)
        throw nb::value_error("scores: of shape (n+1, n+1) or (n+1, n+1, labels)");
    const std::size_t width = scores.shape(0);
    if (scores.ndim() == 2)
        expect_shape(scores, {std::max<std::size_t>(width, 1), width}, "scores");
    else
        expect_shape(scores, {std::max<std::size_t>(width, 1), width, std::max<std::size_t>(scores.shape(2), 1)},
                     "scores");
    Candidates result;
    result.n = static_cast<int>(scores.shape(0)) - 1;
    result.labels = scores.ndim() == 3 ? static_cast<int>(scores.shape(2)) : 0;
    const std::size_t per_arc = result.per_arc();
    for (int m = 1; m <= result.n; ++m)
        for (int h = 0; h <= result.n; ++h) {
            if (h == m) continue;
            const double* cell = scores.data() + (static_cast<std::size_t>(h) * (result.n + 1) + m) * per_arc;
            result.arcs.push_back({h, m});
            result.scores.insert(result.scores.end(), cell, cell + per_arc);
        }
    return result;
}

LabelChain chain_of(const Array<const double, 2>& unary, const Optional& siblings) {
    if (unary.shape(1) == 0) throw nb::value_error("unary: there must be a label at least");
    if (siblings) expect_shape(*siblings, {unary.shape(1) + 1, unary.shape(1) + 1}, "siblings");
    return {unary.data(), siblings ? siblings->data() : nullptr, static_cast<int>(unary.shape(0)),
            static_cast<int>(unary.shape(1))};
}

}  // namespace

void bind_learning(nb::module_& m) {
    m.def(
        "tree_loss",
        [](const Scores& scores, const Array<const int, 1>& heads, const std::optional<Array<const int, 1>>& labels,
           double beta, double gamma, bool single_root, bool projective, const Gradient& gradient) {
            const Candidates candidates = all_arcs(scores);
            expect_length(heads, candidates.n + 1, "heads");
            expect_all_between(heads.data() + 1, candidates.n, -1, candidates.n, "heads");
            if (labels) expect_length(*labels, candidates.n + 1, "labels");
            if (labels) expect_all_between(labels->data() + 1, candidates.n, -1, candidates.labels - 1, "labels");
            if (!labels && candidates.labels) throw nb::value_error("labels: there are scores for them, and no labels");
            expect_length(gradient, scores.size(), "gradient");
            std::vector<double> values;
            const Unlocked unlocked;
            const double loss = tree_loss(candidates, {heads.data(), labels ? labels->data() : nullptr}, {beta, gamma},
                                          {single_root, projective}, values);
            const std::size_t per_arc = candidates.per_arc();
            for (std::size_t a = 0; a < candidates.arcs.size(); ++a)
                std::copy_n(values.data() + a * per_arc, per_arc, gradient.data() + candidates.cell(a) * per_arc);
            return loss;
        },
        "scores"_a, "heads"_a, "labels"_a.none(), "beta"_a, "gamma"_a, "single_root"_a, "projective"_a, "gradient"_a,
        "The loss of scores (n+1, n+1) or (n+1, n+1, labels) at a gold tree (heads and labels of length n+1); fills "
        "the "
        "gradient, which must be zero where there is no arc.");
    m.def(
        "chain_loss",
        [](const Array<const double, 2>& unary, const Optional& siblings, const Array<const int, 1>& labels,
           double beta, double gamma, const Array<double, 2>& unary_gradient,
           const std::optional<Array<double, 2>>& sibling_gradient) {
            const LabelChain chain = chain_of(unary, siblings);
            expect_length(labels, chain.count, "labels");
            expect_all_between(labels.data(), chain.count, -1, chain.labels - 1, "labels");
            expect_length(unary_gradient, unary.size(), "unary_gradient");
            if (sibling_gradient)
                expect_length(*sibling_gradient, (unary.shape(1) + 1) * (unary.shape(1) + 1), "sibling_gradient");
            if (siblings && !sibling_gradient) throw nb::value_error("sibling_gradient: siblings need a place for it");
            return chain_loss(chain, labels.data(), {beta, gamma}, unary_gradient.data(),
                              sibling_gradient ? sibling_gradient->data() : nullptr);
        },
        "unary"_a, "siblings"_a.none(), "labels"_a, "beta"_a, "gamma"_a, "unary_gradient"_a,
        "sibling_gradient"_a.none());
    m.def(
        "best_chain",
        [](const Array<const double, 2>& unary, const Optional& siblings, const Array<int, 1>& labels) {
            const LabelChain chain = chain_of(unary, siblings);
            expect_length(labels, chain.count, "labels");
            return best_chain(chain, labels.data());
        },
        "unary"_a, "siblings"_a.none(), "labels"_a);
    m.def(
        "sum_chain",
        [](const Array<const double, 2>& unary, const Optional& siblings, const Array<double, 2>& probabilities,
           const std::optional<Array<double, 2>>& pairs) {
            const LabelChain chain = chain_of(unary, siblings);
            expect_length(probabilities, unary.size(), "probabilities");
            if (pairs) expect_length(*pairs, (unary.shape(1) + 1) * (unary.shape(1) + 1), "pairs");
            return sum_chain(chain, probabilities.data(), pairs ? pairs->data() : nullptr);
        },
        "unary"_a, "siblings"_a.none(), "probabilities"_a, "pairs"_a.none());
    m.def(
        "best_chains",
        [](const Array<const double, 2>& unary, const Optional& siblings, int k) {
            std::vector<std::tuple<std::vector<int>, double>> result;
            for (const ChainLabels& found : best_chains(chain_of(unary, siblings), k))
                result.emplace_back(found.labels, found.score);
            return result;
        },
        "unary"_a, "siblings"_a.none(), "k"_a);

    nb::class_<LoadedWeights>(m, "ShortWeights", "A parser's weights: 16-bit integers, and the step they count in.")
        .def(
            "__init__",
            [](LoadedWeights* self, const Array<const std::int16_t, 1>& values, float step) {
                new (self) LoadedWeights(values.data(), values.shape(0), step);
            },
            "values"_a.noconvert(), "step"_a)
        .def_static(
            "rounded",
            [](const Array<const float, 1>& weights) {
                if (!std::all_of(weights.data(), weights.data() + weights.shape(0),
                                 [](float w) { return std::isfinite(w); }))
                    throw nb::value_error("weights must be finite: there is nan or inf among them");
                LoadedWeights result(weights.shape(0));
                result.step = round_weights(weights.data(), weights.shape(0), result.values->data());
                return result;
            },
            "weights"_a, "The nearest weights with 16 bits each; the step is a power of two.")
        .def_static(
            "expanded",
            [](const Array<const std::int8_t, 1>& codes, const Array<const float, 1>& peaks,
               const std::optional<Array<const std::uint8_t, 1>>& is_kept) {
                const std::size_t given = codes.shape(0), count = is_kept ? is_kept->shape(0) : given;
                const auto is_one = [](std::uint8_t x) { return x == 1; };
                const auto needed =
                    is_kept ? static_cast<std::size_t>(std::count_if(is_kept->data(), is_kept->data() + count, is_one))
                            : given;
                if (needed != given || peaks.shape(0) != (given + 255) / 256 ||
                    (is_kept &&
                     std::any_of(is_kept->data(), is_kept->data() + count, [](std::uint8_t x) { return x > 1; })))
                    throw nb::value_error("compact weights: the tensors do not fit each other");
                if (!std::all_of(peaks.data(), peaks.data() + peaks.shape(0), [](float p) { return std::isfinite(p); }))
                    throw nb::value_error("weights must be finite: there is nan or inf among them");
                LoadedWeights result(count);
                const CompactWeights compact{
                    {codes.data(), given}, {peaks.data(), peaks.shape(0)}, is_kept ? is_kept->data() : nullptr};
                result.step = round_weights(compact, count, result.values->data());
                return result;
            },
            "codes"_a, "peaks"_a, "is_kept"_a.none(),
            "The same of compact weights: 8-bit codes, the greatest weight of every 256, and a 0 or 1 for each weight "
            "if not all have a code.")
        .def_prop_ro("values",
                     [](const LoadedWeights& self) {
                         return nb::ndarray<nb::numpy, const std::int16_t, nb::ndim<1>>(
                             self.values->data(), {self.values->size()}, nb::find(self));
                     })
        .def_ro("step", &LoadedWeights::step);
    nb::class_<OnlineLearner>(m, "OnlineLearner", "Weights that are learned online, and their average.")
        .def(
            "__init__",
            [](OnlineLearner* self, int bits, int extra, const std::string& rule, double rate) {
                const StepRule kind = rule == "aggressive" ? StepRule::aggressive
                                      : rule == "sgd"      ? StepRule::sgd
                                      : rule == "adagrad"  ? StepRule::adagrad
                                                           : throw nb::value_error("no such learner");
                if (bits < 3 || bits > 30 || extra < 0) throw nb::value_error("there must be 2^3 to 2^30 weights");
                new (self) OnlineLearner(bits, extra, kind, rate);
            },
            "bits"_a, "extra"_a, "rule"_a, "rate"_a)
        .def_prop_rw("rate", &OnlineLearner::rate, &OnlineLearner::set_rate)
        .def_prop_ro("size", [](OnlineLearner& self) { return self.current().size(); })
        .def_prop_rw(
            "steps", [](OnlineLearner& self) { return self.steps(); },
            [](OnlineLearner& self, std::uint64_t steps) { self.steps() = steps; })
        // Views of the learner's own memory: what a checkpoint saves and puts back.
        .def_prop_ro("weights",
                     [](OnlineLearner& self) {
                         return nb::ndarray<nb::numpy, float, nb::ndim<1>>(self.current().data(),
                                                                           {self.current().size()}, nb::find(self));
                     })
        .def_prop_ro("weighted_steps",
                     [](OnlineLearner& self) {
                         return nb::ndarray<nb::numpy, float, nb::ndim<1>>(
                             self.weighted_steps().data(), {self.weighted_steps().size()}, nb::find(self));
                     })
        .def_prop_ro("squares",
                     [](OnlineLearner& self) {
                         return nb::ndarray<nb::numpy, float, nb::ndim<1>>(self.squares().data(),
                                                                           {self.squares().size()}, nb::find(self));
                     })
        .def(
            "step",
            [](OnlineLearner& self, const std::vector<std::tuple<std::uint32_t, float>>& gradient, double loss) {
                SparseSum sum;
                for (const auto& [index, value] : gradient) {
                    expect_place(index, self.current().size(), "weights");
                    sum.add(index, value);
                }
                SparseGradient sparse;
                self.collect(sum, loss, sparse);
                self.apply({&sparse}, 1);
                return sparse.step;
            },
            "gradient"_a, "loss"_a, "One step along a sparse gradient [(index, value), ...]; returns its length.")
        .def(
            "average",
            [](OnlineLearner& self, const Array<float, 1>& result) {
                expect_length(result, self.current().size(), "result");
                self.average(result.data());
            },
            "result"_a, "Fills the result with the mean of the weights as they were before each step.");
}
