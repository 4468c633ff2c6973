#include "parsing/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "parsing/inference.hpp"
#include "support/parallel.hpp"

namespace arbora {
namespace {

// -log P(labels given the arcs) of a gold tree.
double label_likelihood(const Candidates& candidates, GoldTree tree, double scale) {
    Candidates gold;
    gold.n = candidates.n;
    gold.labels = candidates.labels;
    double own = 0;
    for (int m = 1; m <= candidates.n; ++m) {
        const double* row = candidates.scores.data() + candidates.find(tree.heads[m], m) * candidates.labels;
        gold.arcs.push_back({tree.heads[m], m});
        for (int l = 0; l < candidates.labels; ++l) gold.scores.push_back(scale * row[l]);
        own += scale * row[tree.labels[m]];
    }
    std::vector<double> sums;
    collapse(gold, Collapse::sum, sums);
    for (double sum : sums) own -= sum;
    return -own;
}

// The sum of -log of the probabilities of gold heads, each by itself, from the gradient of a CRF, which is those
// probabilities less one. That of whole trees would tell less of each head. Where sums are approximate, none costs much: a
// few sentences that propagation goes astray on shall not rule.
double cost_of_heads(const Candidates& candidates, const std::vector<double>& gradient, GoldTree gold, bool exact) {
    const double least = exact ? 1e-12 : 1e-5;
    double total = 0;
    for (int m = 1; m <= candidates.n; ++m)
        total -= std::log(std::max(least, 1 + gradient[candidates.find(gold.heads[m], m)]));
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

// Multiplies what `from` has into `to`, which is a copy of it.
void multiply(const SentenceParts& from, double scale, SentenceParts& to) {
    for (int k = 0; k < part_kind_count; ++k)
        for (std::size_t i = 0; i < from.scores[k].size(); ++i) to.scores[k][i] = scale * from.scores[k][i];
    to.tags = from.tags;
    to.tags.multiply(scale);
}

// Of one sentence.
class Measurement {
public:
    Measurement(const Scorer& scorer, std::size_t sentence, GoldTree gold, const CalibrationTrials& trials)
        : found(zeros(trials)),
          kinds_(scorer.kinds()),
          n_(scorer.length(sentence)),
          gold_(gold),
          trials_(trials),
          scores_(scorer.begin(sentence)) {}

    static GoldCosts zeros(const CalibrationTrials& trials) {
        const auto of = [](const std::vector<double>& each) { return std::vector<double>(each.size()); };
        return {of(trials.trees), of(trials.labels), of(trials.arc_labels)};
    }

    void run(TreeKind kind, const GraphOptions& graph) {
        if (!trials_.trees.empty() || !trials_.arc_labels.empty()) {
            candidates_.n = n_;
            candidates_.arcs = scores_->choose({}, kind, gold_.heads);
            scores_->score(nullptr, candidates_);
            measure_arc_labels();
            if (!trials_.trees.empty()) measure_trees(kind, graph);
        }
        if (kinds_.labels_follow && !trials_.labels.empty()) measure_chains();
    }

    GoldCosts found;

private:
    void measure_arc_labels() {
        if (!candidates_.labels) return;
        for (std::size_t s = 0; s < trials_.arc_labels.size() && !kinds_.hidden_labels; ++s)
            found.arc_labels[s] = label_likelihood(candidates_, gold_, trials_.arc_labels[s]);
        scale_arcs(candidates_, trials_.joint);
    }

    void measure_trees(TreeKind kind, const GraphOptions& graph) {
        const Inference& inference = inference_for(kinds_, graph);
        Candidates scaled = candidates_;
        SentenceParts parts, scaled_parts;
        scores_->score_parts(candidates_.arcs, parts);
        scaled_parts = parts;
        found.exact = inference.is_exact(parts, kind, graph);
        ScoreGradient gradient;
        for (std::size_t s = 0; s < trials_.trees.size(); ++s) {
            const double scale = trials_.trees[s];
            for (std::size_t i = 0; i < scaled.scores.size(); ++i) scaled.scores[i] = scale * candidates_.scores[i];
            multiply(parts, scale, scaled_parts);
            inference.loss(scaled, scaled_parts, gold_, {1, 0}, kind, graph, gradient);
            found.trees[s] = cost_of_heads(scaled, gradient.arcs, gold_, found.exact);
        }
    }

    void measure_chains() {
        std::vector<double> unary, siblings, probabilities;
        scores_->set_tree(gold_.heads);
        for (const Family& family : families_of(gold_.heads, n_)) {
            const LabelChain chain = scores_->score_labels(family, nullptr);
            const std::size_t states = chain.states();
            std::vector<int> chosen;
            for (int m : family.modifiers) chosen.push_back(gold_.labels[m]);
            unary.resize(static_cast<std::size_t>(chain.count) * chain.labels);
            siblings.resize(chain.siblings ? states * states : 0);
            probabilities.resize(unary.size());
            for (std::size_t s = 0; s < trials_.labels.size(); ++s) {
                for (std::size_t i = 0; i < unary.size(); ++i) unary[i] = trials_.labels[s] * chain.unary[i];
                for (std::size_t i = 0; i < siblings.size(); ++i) siblings[i] = trials_.labels[s] * chain.siblings[i];
                const LabelChain scaled{unary.data(), chain.siblings ? siblings.data() : nullptr, chain.count,
                                        chain.labels};
                found.labels[s] +=
                    sum_chain(scaled, probabilities.data(), nullptr) - chain_score(scaled, chosen.data());
            }
        }
    }

    ScoreKinds kinds_;
    int n_;
    GoldTree gold_;
    const CalibrationTrials& trials_;
    std::unique_ptr<SentenceScorer> scores_;
    Candidates candidates_;
};

bool is_possible(const Scorer& scorer, std::size_t sentence, GoldTree gold) {
    for (int m = 1; m <= scorer.length(sentence); ++m)
        if (gold.labels[m] < 0 || !scorer.may_have_label(gold.heads[m], gold.labels[m])) return false;
    return true;
}

}  // namespace

GoldCosts measure_gold_costs(const Scorer& scorer, const std::vector<GoldTree>& gold, TreeKind kind,
                             const GraphOptions& graph, const CalibrationTrials& trials, int threads) {
    GoldCosts total = Measurement::zeros(trials);
    std::vector<GoldCosts> each(scorer.sentences(), total);
    parallel_for(scorer.sentences(), threads, [&](std::size_t sentence) {
        if (!is_possible(scorer, sentence, gold[sentence])) return;
        Measurement measurement(scorer, sentence, gold[sentence], trials);
        measurement.run(kind, graph);
        each[sentence] = std::move(measurement.found);
    });
    const auto add = [](const std::vector<double>& own, std::vector<double>& sum) {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
    };
    for (const GoldCosts& own : each) {
        add(own.trees, total.trees);
        add(own.labels, total.labels);
        add(own.arc_labels, total.arc_labels);
        total.exact &= own.exact;
    }
    return total;
}

}  // namespace arbora
