#include "parsing/training.hpp"

#include "parsing/linear_scorer.hpp"
#include "parsing/sentence_loss.hpp"
#include "support/parallel.hpp"

namespace arbora {
namespace {

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

}  // namespace

BatchReport train_pruner(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                         const std::vector<std::size_t>& sentences, const TrainingOptions& options) {
    const ArcFeatures& features = model.pruner.features();
    return train_batch(learner, encoded, sentences, options.threads, [&](std::size_t sentence, Example& example) {
        thread_local Prepared prepared;
        thread_local std::vector<float> scores;
        thread_local Candidates candidates;
        thread_local SparseSum sum;
        prepared.set(model.templates, encoded, sentence, bit_of(Section::pruner));
        const int n = prepared.n(), width = n + 1;
        scores.resize(static_cast<std::size_t>(width) * width);
        features.score(prepared, learner.weights(), scores.data());
        candidates.n = n;
        candidates.arcs.clear();
        candidates.scores.clear();
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m) {
                    candidates.arcs.push_back({h, m});
                    candidates.scores.push_back(scores[static_cast<std::size_t>(h) * width + m]);
                }
        thread_local std::vector<double> gradient;
        tree_gradient(learner, sum, example, [&] {
            const double loss =
                tree_loss(candidates, {gold.of(encoded, sentence).heads}, {1, 0}, options.kind, gradient);
            add_arc_gradient(features, prepared, learner.mask(), candidates, gradient, sum);
            return loss;
        });
        learner.collect(sum, 0, example.labels);
    });
}

BatchReport train_parser(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                         const std::vector<std::vector<Arc>>& arcs, const std::vector<std::size_t>& sentences,
                         const TrainingOptions& options) {
    const ScoreKinds kinds = kinds_of(model);
    return train_batch(learner, encoded, sentences, options.threads, [&](std::size_t sentence, Example& example) {
        thread_local SparseSum sum;
        const int n = encoded.length(sentence);
        const GoldTree own = gold.of(encoded, sentence);
        LinearSentence<float> scores(model, learner.weights(), encoded, sentence, ~bit_of(Section::pruner));
        scores.add_gradients_to(sum);
        std::vector<int> completed;
        tree_gradient(learner, sum, example, [&] {
            return differentiate_trees(kinds, scores, n, arcs[sentence], own,
                                       {options.loss, options.kind, options.graph}, &completed);
        });
        const bool has_tree = !own.is_partial(n) || !completed.empty();
        const int* whole = completed.empty() ? own.heads : completed.data();
        const double loss = has_tree ? differentiate_labels(kinds, scores, n, own, whole, options.loss) : 0;
        learner.collect(sum, loss, example.labels);
    });
}

}  // namespace arbora
