#include "tagging/training.hpp"

#include <algorithm>
#include <cmath>

#include "support/parallel.hpp"

namespace arbora {
namespace {

// The lattice of a sentence of a text.
template <class Number>
void fill(const Stage& stage, WeightTable<Number> weights, const TagText& text, std::size_t sentence, const int* gold,
          Lattice& lattice) {
    const std::size_t start = text.start(sentence);
    stage.fill(text.sentence(sentence), weights, gold, [&](int word) { return text.form(start + word); }, lattice);
}

// The place of a label among the candidates of a word; their number if it is none of them.
int find_candidate(const Lattice& lattice, int word, int label) {
    const auto begin = lattice.labels.begin() + lattice.starts[word];
    return static_cast<int>(std::find(begin, begin + lattice.size(word), label) - begin);
}

}  // namespace

double differentiate(const Stage& stage, Weights weights, const TagText& text, std::size_t sentence, const int* gold,
                     StageLoss loss, SparseSum& sum) {
    thread_local Lattice lattice;
    thread_local std::vector<int> path;
    thread_local std::vector<double> candidates, triples;
    const Words& words = text.sentence(sentence);
    const int* labels = gold + text.start(sentence);
    fill(stage, weights, text, sentence, labels, lattice);
    path.assign(lattice.count(), 0);  // the end of a chain has one candidate
    for (int word = 0; word < words.count(); ++word) path[word] = find_candidate(lattice, word, labels[word]);
    const double value = path_loss(lattice, path.data(), loss.beta, loss.gamma, candidates, triples);
    stage.layer.add_gradient(words, weights.mask, lattice, candidates, triples, sum);
    return value;
}

double train_stage(const Stage& stage, OnlineLearner& learner, const TagText& text, const int* gold,
                   const std::vector<std::size_t>& sentences, StageLoss loss, int threads) {
    static thread_local std::vector<SparseGradient> gradients;
    if (gradients.size() < sentences.size()) gradients.resize(sentences.size());
    SparseGradient* each = gradients.data();
    parallel_for(sentences.size(), threads, [&](std::size_t i) {
        thread_local SparseSum sum;
        const double value = differentiate(stage, learner.weights(), text, sentences[i], gold, loss, sum);
        learner.collect(sum, value, each[i]);
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

std::vector<double> measure_gold_costs(const Stage& stage, ShortWeights weights, const TagText& text, const int* gold,
                                       const std::vector<double>& scales, int threads) {
    std::vector<std::vector<double>> each(text.sentences(), std::vector<double>(scales.size()));
    parallel_for(text.sentences(), threads, [&](std::size_t sentence) {
        Lattice lattice;
        std::vector<double> candidates;
        fill(stage, weights, text, sentence, nullptr, lattice);
        for (std::size_t k = 0; k < scales.size(); ++k) {
            Lattice scaled = lattice;
            scaled.multiply(scales[k]);
            sum_paths(scaled, candidates, nullptr);
            for (int word = 0; word < text.sentence(sentence).count(); ++word) {
                const int found = find_candidate(lattice, word, gold[text.start(sentence) + word]);
                if (found == lattice.size(word)) continue;
                each[sentence][k] -= std::log(std::max(candidates[lattice.starts[word] + found], 1e-300));
            }
        }
    });
    std::vector<double> total(scales.size());
    for (const auto& own : each)
        for (std::size_t k = 0; k < scales.size(); ++k) total[k] += own[k];
    return total;
}

}  // namespace arbora
