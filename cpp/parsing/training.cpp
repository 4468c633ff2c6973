#include "parsing/training.hpp"

#include <algorithm>
#include <cmath>

#include "support/parallel.hpp"

namespace arbora {
namespace {

// A part whose expectation the gradient would change by less is left out of it.
constexpr double negligible = 1e-3;

struct Example {
    SparseGradient arcs, labels;
    bool infeasible = false;
};

// differentiate(sentence, example) for a batch in parallel, then its steps in order.
template <class Differentiate>
BatchReport train_batch(OnlineLearner& learner, const Encoded& encoded, const std::vector<std::size_t>& sentences,
                        int threads, Differentiate differentiate) {
    static thread_local std::vector<Example> examples;
    if (examples.size() < sentences.size()) examples.resize(sentences.size());
    Example* each = examples.data();
    parallel_for(sentences.size(), threads, [&](std::size_t i) { differentiate(sentences[i], each[i]); });
    BatchReport report;
    std::vector<const SparseGradient*> batch;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        batch.push_back(&each[i].arcs);
        batch.push_back(&each[i].labels);
        report.arc_loss += each[i].arcs.loss;
        report.label_loss += each[i].labels.loss;
        report.words += encoded.length(sentences[i]);
        report.infeasible += each[i].infeasible;
    }
    learner.apply(batch, threads);
    return report;
}

// The gradient of a loss over trees, which `differentiate` adds to the sum, or nothing where there is no tree.
template <class Differentiate>
void tree_gradient(const OnlineLearner& learner, SparseSum& sum, Example& example, Differentiate differentiate) {
    double loss = 0;
    example.infeasible = false;
    try {
        loss = differentiate();
    } catch (const Infeasible&) {
        example.infeasible = true;
    }
    learner.collect(sum, loss, example.arcs);
}

void add_arcs(const ArcFeatures& features, const Prepared& prepared, std::uint32_t mask, const Candidates& candidates,
              const std::vector<double>& gradient, SparseSum& sum) {
    thread_local std::vector<ArcGradient> arcs;
    arcs.clear();
    const int per_arc = candidates.per_arc();
    for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
        double value = 0;
        for (int l = 0; l < per_arc; ++l) value += gradient[a * per_arc + l];
        if (std::abs(value) >= negligible)
            arcs.push_back({candidates.arcs[a].head, candidates.arcs[a].modifier, static_cast<float>(value)});
    }
    features.add_gradient(prepared, mask, arcs, sum);
}

// Only the labels of some weight; arcs without any are left out.
void add_labels(const LabelFeatures& features, const Prepared& prepared, std::uint32_t mask,
                const std::vector<Arc>& arcs, const std::vector<double>& gradient, SparseSum& sum) {
    thread_local std::vector<Arc> active;
    thread_local std::vector<float> values;
    const int labels = features.labels();
    active.clear();
    values.clear();
    for (std::size_t a = 0; a < arcs.size(); ++a) {
        const double* row = gradient.data() + a * labels;
        if (std::none_of(row, row + labels, [](double g) { return std::abs(g) >= negligible; })) continue;
        active.push_back(arcs[a]);
        for (int l = 0; l < labels; ++l)
            values.push_back(std::abs(row[l]) < negligible ? 0.0f : static_cast<float>(row[l]));
    }
    features.add_gradient(prepared, mask, active, values.data(), sum);
}

double chain_gradient(const FirstOrder& model, const Prepared& prepared, Weights weights, const int* heads,
                      const int* labels, LossFamily family, SparseSum& sum) {
    const LabelFeatures& features = model.labeler();
    thread_local FirstOrder::Workspace space;
    thread_local std::vector<double> unary, siblings, unary_gradient, sibling_gradient;
    thread_local std::vector<float> as_floats;
    double loss = 0;
    for (const auto& words : FirstOrder::families(heads, prepared.n())) {
        model.score_family(prepared, weights, space, words, unary, siblings);
        std::vector<int> gold;
        for (int m : words.modifiers) gold.push_back(labels[m]);
        const LabelChain chain{unary.data(), siblings.empty() ? nullptr : siblings.data(),
                               static_cast<int>(words.modifiers.size()), model.labels()};
        unary_gradient.resize(unary.size());
        sibling_gradient.assign(siblings.size(), 0);
        loss += chain_loss(chain, gold.data(), family, unary_gradient.data(),
                           siblings.empty() ? nullptr : sibling_gradient.data());
        add_labels(features, prepared, weights.mask, space.arcs, unary_gradient, sum);
        if (siblings.empty()) continue;
        as_floats.resize(siblings.size());
        for (std::size_t i = 0; i < siblings.size(); ++i)
            as_floats[i] = std::abs(sibling_gradient[i]) < negligible ? 0.0f : static_cast<float>(sibling_gradient[i]);
        features.add_sibling_gradient(prepared, weights.mask, words.head, as_floats.data(), sum);
    }
    return loss;
}

// -log P(labels given the arcs) of a gold tree.
double surprise_of_labels(const Candidates& candidates, const int* heads, const int* labels, double scale) {
    Candidates gold;
    gold.n = candidates.n;
    gold.labels = candidates.labels;
    double own = 0;
    for (int m = 1; m <= candidates.n; ++m) {
        const double* row = candidates.scores.data() + candidates.find(heads[m], m) * candidates.labels;
        gold.arcs.push_back({heads[m], m});
        for (int l = 0; l < candidates.labels; ++l) gold.scores.push_back(scale * row[l]);
        own += scale * row[labels[m]];
    }
    std::vector<double> sums;
    collapse(gold, Collapse::sum, sums);
    for (double sum : sums) own -= sum;
    return -own;
}

// The square of what the probabilities of arcs are off, summed (Brier's score, which is proper, and which a few sentences
// that propagation goes astray on cannot rule): from the gradient of a CRF, which is just that.
double squared_error(const Candidates& candidates, const std::vector<double>& gradient) {
    const int per_arc = candidates.per_arc();
    double total = 0;
    for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
        double error = 0;
        for (int l = 0; l < per_arc; ++l) error += gradient[a * per_arc + l];
        total += error * error;
    }
    return total;
}

// Leaves one score for each arc: 1/scale log sum over labels of exp(scale s).
void scale_arcs(Candidates& candidates, double scale) {
    for (double& score : candidates.scores) score *= scale;
    std::vector<double> sums;
    collapse(candidates, Collapse::sum, sums);
    for (double& sum : sums) sum /= scale;
    candidates.labels = 0;
    candidates.scores = std::move(sums);
}

}  // namespace

BatchReport train_pruner(const Templates& templates, const Pruner& pruner, OnlineLearner& learner,
                         const Encoded& encoded, GoldTrees gold, const std::vector<std::size_t>& sentences,
                         const TrainingOptions& options) {
    return train_batch(learner, encoded, sentences, options.threads, [&](std::size_t sentence, Example& example) {
        thread_local Prepared prepared;
        thread_local std::vector<float> scores;
        thread_local Candidates candidates;
        thread_local SparseSum sum;
        prepared.set(templates, encoded, sentence, bit_of(Section::pruner));
        const int n = prepared.n(), width = n + 1;
        scores.resize(static_cast<std::size_t>(width) * width);
        pruner.features().score(prepared, learner.weights(), scores.data());
        candidates.n = n;
        candidates.arcs.clear();
        candidates.scores.clear();
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m) {
                    candidates.arcs.push_back({h, m});
                    candidates.scores.push_back(scores[static_cast<std::size_t>(h) * width + m]);
                }
        const int* heads = gold.heads + encoded.start(sentence) - 1;  // words are counted from 1
        thread_local std::vector<double> gradient;
        tree_gradient(learner, sum, example, [&] {
            const double loss = tree_loss(candidates, heads, nullptr, {1, 0}, options.kind, gradient);
            add_arcs(pruner.features(), prepared, learner.mask(), candidates, gradient, sum);
            return loss;
        });
        learner.collect(sum, 0, example.labels);
    });
}

double differentiate(const LearnedModel& model, const Prepared& prepared, Weights weights, const std::vector<Arc>& arcs,
                     GoldTrees gold, const TrainingOptions& options, SparseSum& sum) {
    const int *heads = gold.heads, *labels = model.first_order.has_roles() ? nullptr : gold.labels;  // roles are hidden
    thread_local FirstOrder::Workspace space;
    thread_local Candidates candidates;
    thread_local std::vector<double> gradient;
    candidates.n = prepared.n();
    candidates.arcs = arcs;
    model.first_order.score(prepared, weights, space, candidates);
    double loss;
    if (model.higher.is_active()) {
        thread_local SentenceParts parts;
        thread_local PartNumbers<double> part_gradient;
        thread_local TagNumbers tag_gradient;
        model.higher.score(prepared, weights, arcs, parts);
        loss = graph_loss(candidates, parts, heads, labels, gold.tags, options.loss, options.kind, options.graph,
                          gradient, part_gradient, tag_gradient);
        model.higher.add_gradient(prepared, weights.mask, parts, part_gradient, sum);
        if (!tag_gradient.empty()) model.higher.tags().add_gradient(prepared, weights.mask, arcs, tag_gradient, sum);
    } else {
        loss = tree_loss(candidates, heads, labels, options.loss, options.kind, gradient);
    }
    add_arcs(model.first_order.arcs(), prepared, weights.mask, candidates, gradient, sum);
    if (const LabelFeatures* rows = model.first_order.rows())
        add_labels(*rows, prepared, weights.mask, candidates.arcs, gradient, sum);
    return loss;
}

BatchReport train_parser(const LearnedModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                         const std::vector<std::vector<Arc>>& arcs, const std::vector<std::size_t>& sentences,
                         const TrainingOptions& options) {
    return train_batch(learner, encoded, sentences, options.threads, [&](std::size_t sentence, Example& example) {
        thread_local Prepared prepared;
        thread_local SparseSum sum;
        prepared.set(model.templates, encoded, sentence, ~bit_of(Section::pruner));
        const GoldTrees own = gold.of(encoded, sentence);
        tree_gradient(learner, sum, example, [&] {
            return differentiate(model, prepared, learner.weights(), arcs[sentence], own, options, sum);
        });
        double loss = 0;
        if (model.first_order.has_labeler()) {
            prepared.set_tree(model.templates, encoded, sentence, own.heads);
            loss = chain_gradient(model.first_order, prepared, learner.weights(), own.heads, own.labels, options.loss,
                                  sum);
        }
        learner.collect(sum, loss, example.labels);
    });
}

Surprise measure_surprise(const Parser& parser, const Encoded& encoded, GoldTrees gold, TreeKind kind,
                          const GraphOptions& graph, const std::vector<double>& scales, double joint, int threads) {
    const FirstOrder& model = parser.model;
    std::vector<Surprise> each(encoded.sentences());
    parallel_for(encoded.sentences(), threads, [&](std::size_t sentence) {
        Surprise& own = each[sentence];
        own.trees.resize(scales.size());
        own.labels.resize(scales.size());
        own.joint.resize(scales.size());
        const int n = encoded.length(sentence);
        const auto [heads, labels, tags] = gold.of(encoded, sentence);
        if (std::any_of(labels + 1, labels + n + 1, [](int label) { return label < 0; })) return;
        Prepared prepared;
        FirstOrder::Workspace space;
        Candidates candidates, scaled;
        std::vector<double> gradient, pairs;
        prepared.set(parser.templates, encoded, sentence, ~0u);
        candidates.n = n;
        candidates.arcs = parser.pruner.choose(prepared, parser.pruner_weights, {}, kind, heads);
        model.score(prepared, parser.weights, space, candidates);
        for (int m = 1; m <= n; ++m)
            if (!model.may_have_label(heads[m], labels[m])) return;
        if (candidates.labels) {
            for (std::size_t s = 0; s < scales.size() && !model.has_roles(); ++s)
                own.joint[s] = surprise_of_labels(candidates, heads, labels, scales[s]);
            scale_arcs(candidates, joint);
        }
        scaled = candidates;
        SentenceParts parts, scaled_parts;
        if (parser.higher.is_active()) {
            parser.higher.score(prepared, parser.weights, candidates.arcs, parts);
            scaled_parts = parts;
        }
        for (std::size_t s = 0; s < scales.size(); ++s) {
            for (std::size_t i = 0; i < scaled.scores.size(); ++i) scaled.scores[i] = scales[s] * candidates.scores[i];
            if (!parser.higher.is_active()) {
                own.trees[s] = tree_loss(scaled, heads, labels, {1, 0}, kind, gradient);
                continue;
            }
            for (int k = 0; k < part_kind_count; ++k)
                for (std::size_t i = 0; i < parts.scores[k].size(); ++i)
                    scaled_parts.scores[k][i] = scales[s] * parts.scores[k][i];
            scaled_parts.tags = parts.tags;
            scaled_parts.tags.multiply(scales[s]);
            PartNumbers<double> part_gradient;
            TagNumbers tag_gradient;
            const double loss = graph_loss(scaled, scaled_parts, heads, labels, tags, {1, 0}, kind, graph, gradient,
                                           part_gradient, tag_gradient);
            own.trees[s] = sums_exactly(parts, kind, graph) ? loss : squared_error(scaled, gradient);
        }
        if (!model.has_labeler()) return;
        prepared.set_tree(parser.templates, encoded, sentence, heads);
        std::vector<double> unary, siblings;
        for (const auto& words : FirstOrder::families(heads, n)) {
            model.score_family(prepared, parser.weights, space, words, unary, siblings);
            std::vector<int> chosen;
            for (int m : words.modifiers) chosen.push_back(labels[m]);
            std::vector<double> scaled_unary(unary.size()), scaled_siblings(siblings.size());
            gradient.resize(unary.size());
            for (std::size_t s = 0; s < scales.size(); ++s) {
                for (std::size_t i = 0; i < unary.size(); ++i) scaled_unary[i] = scales[s] * unary[i];
                for (std::size_t i = 0; i < siblings.size(); ++i) scaled_siblings[i] = scales[s] * siblings[i];
                const LabelChain chain{scaled_unary.data(), siblings.empty() ? nullptr : scaled_siblings.data(),
                                       static_cast<int>(words.modifiers.size()), model.labels()};
                own.labels[s] += sum_chain(chain, gradient.data(), nullptr) - chain_score(chain, chosen.data());
            }
        }
    });
    const std::vector<double> zeros(scales.size());
    Surprise total{zeros, zeros, zeros};
    for (const Surprise& own : each)
        for (std::size_t s = 0; s < scales.size(); ++s) {
            total.trees[s] += own.trees[s];
            total.labels[s] += own.labels[s];
            total.joint[s] += own.joint[s];
        }
    return total;
}

}  // namespace arbora
