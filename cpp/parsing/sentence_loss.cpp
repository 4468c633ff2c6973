#include "parsing/sentence_loss.hpp"

#include <algorithm>

#include "parsing/inference.hpp"

namespace arbora {

double differentiate_trees(const ScoreKinds& kinds, SentenceScorer& scorer, int n, const std::vector<Arc>& arcs,
                           GoldTree gold, const LossOptions& options, std::vector<int>* completed) {
    thread_local Candidates candidates;
    thread_local SentenceParts parts;
    thread_local ScoreGradient gradient;
    if (kinds.hidden_labels) gold.labels = nullptr;
    candidates.n = n;
    candidates.arcs = arcs;
    scorer.score(nullptr, candidates);
    scorer.score_parts(arcs, parts);
    const double loss = inference_for(kinds, options.graph)
                            .loss(candidates, parts, gold, options.family, options.kind, options.graph, gradient);
    scorer.add_gradient(candidates, parts, gradient);
    if (completed && gold.is_partial(n)) *completed = gradient.completed;
    return loss;
}

double differentiate_labels(const ScoreKinds& kinds, SentenceScorer& scorer, int n, GoldTree gold, const int* whole,
                            LossFamily family) {
    if (!kinds.labels_follow) return 0;
    thread_local std::vector<double> unary, siblings;
    std::vector<int> labels;
    double loss = 0;
    scorer.set_tree(whole);
    for (const Family& words : families_of(whole, n)) {
        labels.clear();
        for (int m : words.modifiers) labels.push_back(gold.heads[m] < 0 ? -1 : gold.labels[m]);
        if (std::all_of(labels.begin(), labels.end(), [](int label) { return label < 0; })) continue;
        const LabelChain chain = scorer.score_labels(words, nullptr);
        unary.resize(static_cast<std::size_t>(chain.count) * chain.labels);
        siblings.assign(chain.siblings ? static_cast<std::size_t>(chain.states()) * chain.states() : 0, 0);
        loss += chain_loss(chain, labels.data(), family, unary.data(), chain.siblings ? siblings.data() : nullptr);
        scorer.add_label_gradient(words, unary, siblings);
    }
    return loss;
}

}  // namespace arbora
