#include "spans/training.hpp"

#include <algorithm>

#include "support/parallel.hpp"

namespace arbora {
namespace {

// One step along the gradients of sentences, each found by find(sentence, sum), which returns the loss.
template <class Find>
double learn_batch(OnlineLearner& learner, const std::vector<std::size_t>& sentences, int threads, Find find) {
    static thread_local std::vector<SparseGradient> gradients;
    if (gradients.size() < sentences.size()) gradients.resize(sentences.size());
    SparseGradient* each = gradients.data();
    parallel_for(sentences.size(), threads, [&](std::size_t i) {
        thread_local SparseSum sum;
        sum.clear();  // an error may have left something
        const double loss = find(sentences[i], sum);
        learner.collect(sum, loss, each[i]);
    });
    std::vector<const SparseGradient*> batch;
    double total = 0;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        batch.push_back(&each[i]);
        total += each[i].loss;
    }
    learner.apply(batch, threads);
    return total;
}

void kept_nodes(const CoarseModel& model, ShortWeights weights, Pruning pruning, const SpanSentence& sentence,
                std::vector<SpanNode>& nodes) {
    thread_local CoarseScores scores;
    model.score(sentence, weights, scores);
    model.probable_nodes(scores, pruning, nodes);
}

}  // namespace

double train_coarse(const CoarseModel& model, OnlineLearner& learner, const SpanText& text, const SpanNode* gold,
                    const std::vector<std::size_t>& sentences, int threads) {
    return learn_batch(learner, sentences, threads, [&](std::size_t sentence, SparseSum& sum) {
        return model.differentiate(text.sentence(sentence), learner.weights(), gold + text.first_node(sentence), sum);
    });
}

PruningReport measure_pruning(const CoarseModel& model, ShortWeights weights, Pruning pruning, const SpanText& text,
                              const SpanNode* gold, int threads) {
    std::vector<PruningReport> each(text.sentences());
    parallel_for(text.sentences(), threads, [&](std::size_t i) {
        std::vector<SpanNode> nodes;
        kept_nodes(model, weights, pruning, text.sentence(i), nodes);
        const SpanNode* own = gold + text.first_node(i);
        const int count = 2 * text.sentence(i).count() - 1;
        each[i] = {nodes.size(), static_cast<std::size_t>(count), 0};
        for (int node = 0; node < count; ++node)
            each[i].lost += std::find(nodes.begin(), nodes.end(), own[node]) == nodes.end();
    });
    PruningReport total;
    for (const PruningReport& own : each) total.kept += own.kept, total.gold += own.gold, total.lost += own.lost;
    return total;
}

void find_training_nodes(const CoarseModel& model, ShortWeights weights, Pruning pruning, const SpanText& text,
                         const SpanNode* gold, const std::vector<std::size_t>& sentences, int threads,
                         std::vector<std::vector<SpanNode>>& nodes) {
    parallel_for(sentences.size(), threads, [&](std::size_t i) {
        const std::size_t sentence = sentences[i];
        std::vector<SpanNode>& found = nodes[sentence];
        kept_nodes(model, weights, pruning, text.sentence(sentence), found);
        const SpanNode* own = gold + text.first_node(sentence);
        for (int node = 0; node < 2 * text.sentence(sentence).count() - 1; ++node)
            if (std::find(found.begin(), found.end(), own[node]) == found.end()) found.push_back(own[node]);
        found.shrink_to_fit();
    });
}

double differentiate(const SpanModel& model, Weights weights, const SpanSentence& sentence,
                     const std::vector<SpanNode>& nodes, const SpanNode* gold, LossFamily family, SparseSum& sum) {
    thread_local SpanChart chart;
    thread_local std::vector<double> leaves, gradient;
    chart.build(model.grammar(), sentence.count(), nodes);
    leaves.resize(chart.leaf_count());
    model.score(sentence, chart, weights, leaves.data());
    const double loss = span_loss(chart, leaves.data(), gold, family, gradient);
    model.add_gradient(sentence, chart, weights.mask, gradient.data(), sum);
    return loss;
}

double train_spans(const SpanModel& model, OnlineLearner& learner, const SpanText& text,
                   const std::vector<std::vector<SpanNode>>& nodes, const SpanNode* gold,
                   const std::vector<std::size_t>& sentences, LossFamily family, int threads) {
    return learn_batch(learner, sentences, threads, [&](std::size_t sentence, SparseSum& sum) {
        return differentiate(model, learner.weights(), text.sentence(sentence), nodes[sentence],
                             gold + text.first_node(sentence), family, sum);
    });
}

std::vector<double> measure_tree_costs(const SpanParser& parser, const SpanText& text, const SpanNode* gold,
                                       const std::vector<double>& scales, int threads) {
    std::vector<std::vector<double>> each(text.sentences(), std::vector<double>(scales.size()));
    parallel_for(text.sentences(), threads, [&](std::size_t i) {
        thread_local SpanForest forest;
        thread_local std::vector<double> leaves, scaled, gradient;
        const SpanSentence& sentence = text.sentence(i);
        const SpanNode* own = gold + text.first_node(i);
        forest.parse(parser, sentence, {});
        const SpanChart& chart = forest.chart();
        for (int node = 0; node < 2 * sentence.count() - 1; ++node)
            if (chart.find(own[node]) < 0) return;
        leaves.resize(chart.leaf_count());
        parser.model->score(sentence, chart, parser.weights, leaves.data());
        for (std::size_t k = 0; k < scales.size(); ++k) {
            scaled = leaves;
            for (double& leaf : scaled) leaf *= scales[k];
            each[i][k] = span_loss(chart, scaled.data(), own, {1, 0}, gradient);
        }
    });
    std::vector<double> total(scales.size());
    for (const auto& own : each)
        for (std::size_t k = 0; k < scales.size(); ++k) total[k] += own[k];
    return total;
}

}  // namespace arbora
