#include "neural/neural_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "trees/operations.hpp"

namespace arbora::neural {
namespace {

// What weights give that no training writes is no score that sums can take.
double bounded(double score) {
    constexpr double most = 1e9;
    return std::isnan(score) ? 0 : std::clamp(score, -most, most);
}

[[noreturn]] void has_none() { throw std::logic_error("a neural scorer has no such scores"); }

class NeuralSentence final : public SentenceScorer {
public:
    NeuralSentence(const NeuralModel& model, std::span<const float> states, int n) : model_(model), n_(n) {
        const ArcHeads& heads = model.arcs;
        const auto rows = static_cast<std::size_t>(n) + 1;
        vectors_.resize(rows * heads.vectors.out());
        heads.vectors.apply(states.data(), rows, vectors_.data(), scratch_);
        for (float& each : vectors_) each = each < 0 ? leak * each : each;
        score_all(rows);
    }

    std::vector<Arc> choose(Given given, TreeKind, const int*) override {
        std::vector<Arc> arcs;
        for (int m = 1; m <= n_; ++m)
            for (int h = 0; h <= n_; ++h)
                if (h != m && given.allows(h, m)) arcs.push_back({h, m});
        return arcs;
    }

    void score(const int*, Candidates& candidates) override {
        candidates.labels = 0;
        candidates.scores.resize(candidates.arcs.size());
        for (std::size_t a = 0; a < candidates.arcs.size(); ++a) candidates.scores[a] = score_of(candidates.arcs[a]);
    }

    void score_arcs(const std::vector<Arc>& arcs, const int*, ArcTotal asked, ArcTotals& result) override {
        result.learned.clear();
        for (const Arc& arc : arcs) result.learned.push_back(score_of(arc));
        result.best.clear();
        result.sums.clear();
        if (asked != ArcTotal::learned) result.best = result.learned;
        if (asked == ArcTotal::sums) result.sums = result.learned;
    }

    void set_tree(const int*) override {}

    LabelChain score_labels(const Family& family, const int* known_labels) override {
        const int labels = model_.arcs.label_count(), count = static_cast<int>(family.modifiers.size());
        const auto size = static_cast<std::size_t>(model_.arcs.label_size);
        pairs_.resize(static_cast<std::size_t>(count) * 3 * size);
        for (int i = 0; i < count; ++i) {
            const float* modifier = label_modifier(family.modifiers[i]);
            const float* head = label_head(family.head);
            float* pair = pairs_.data() + static_cast<std::size_t>(i) * 3 * size;
            for (std::size_t k = 0; k < size; ++k) pair[k] = modifier[k] * head[k];
            std::copy_n(modifier, size, pair + size);
            std::copy_n(head, size, pair + 2 * size);
        }
        scores_.resize(static_cast<std::size_t>(count) * labels);
        model_.arcs.labels.apply(pairs_.data(), count, scores_.data(), scratch_);
        unary_.resize(scores_.size());
        for (int i = 0; i < count; ++i) fill_labels(family, i, known_labels ? known_labels[family.modifiers[i]] : -1);
        return {unary_.data(), nullptr, count, labels};
    }

    void score_parts(const std::vector<Arc>& arcs, SentenceParts& parts) override { parts.set(arcs, n_, {}); }

    // Labels follow the tree, and words have no tags to choose among.
    int best_label(std::size_t) const override { has_none(); }
    void label_probabilities(std::size_t, double*) const override { has_none(); }
    int tag_at(int, int) const override { has_none(); }
    // Learning is not done here.
    void add_gradient(const Candidates&, const SentenceParts&, const ScoreGradient&) override { has_none(); }
    void add_label_gradient(const Family&, const std::vector<double>&, const std::vector<double>&) override {
        has_none();
    }

private:
    const float* vector_of(int word) const {
        return vectors_.data() + static_cast<std::size_t>(word) * model_.arcs.vectors.out();
    }
    const float* label_modifier(int word) const { return vector_of(word) + 2 * model_.arcs.arc_size; }
    const float* label_head(int word) const { return label_modifier(word) + model_.arcs.label_size; }
    double score_of(Arc arc) const {
        return table_[static_cast<std::size_t>(arc.head) * (n_ + std::size_t{1}) + arc.modifier];
    }

    // The table of all arcs, by head and modifier.
    void score_all(std::size_t rows) {
        const auto size = static_cast<std::size_t>(model_.arcs.arc_size);
        heads_.resize(rows * size);
        turned_.resize(rows * (size + 1));
        for (std::size_t h = 0; h < rows; ++h)
            std::copy_n(vector_of(static_cast<int>(h)) + size, size, heads_.data() + h * size);
        model_.arcs.bilinear.apply(heads_.data(), rows, turned_.data(), scratch_);
        table_.resize(rows * rows);
        for (std::size_t h = 0; h < rows; ++h) {
            const float* head = turned_.data() + h * (size + 1);
            for (std::size_t m = 0; m < rows; ++m)
                table_[h * rows + m] =
                    bounded(model_.tree_scale * (dot(vector_of(static_cast<int>(m)), head, size) + head[size]));
        }
    }

    // Sixteen sums that are added up at the end, so that the order of additions is the same on every machine.
    static float dot(const float* a, const float* b, std::size_t size) {
        constexpr std::size_t lanes = 16;
        float sums[lanes] = {};
        std::size_t i = 0;
        for (; i + lanes <= size; i += lanes)
            for (std::size_t l = 0; l < lanes; ++l) sums[l] += a[i + l] * b[i + l];
        float result = 0;
        for (; i < size; ++i) result += a[i] * b[i];
        for (std::size_t width = lanes / 2; width; width /= 2)
            for (std::size_t l = 0; l < width; ++l) sums[l] += sums[l + width];
        return result + sums[0];
    }

    void fill_labels(const Family& family, int place, int known) {
        const int labels = model_.arcs.label_count();
        const std::size_t begin = static_cast<std::size_t>(place) * labels;
        if (known >= 0 && !model_.may_have_label(family.head, known))
            throw Infeasible("the label of token " + std::to_string(family.modifiers[place]) +
                             " is impossible: `root` is the label of arcs from the root");
        for (int l = 0; l < labels; ++l) {
            const bool may = known >= 0 ? l == known : model_.may_have_label(family.head, l);
            unary_[begin + l] = may ? bounded(model_.label_scale * scores_[begin + l]) : impossible;
        }
    }

    const NeuralModel& model_;
    int n_;
    encoders::DenseScratch scratch_;
    std::vector<float> vectors_, heads_, turned_, pairs_, scores_;
    std::vector<double> table_, unary_;
};

}  // namespace

ScoreKinds NeuralScorer::kinds() const {
    ScoreKinds kinds;
    kinds.labels = model_.arcs.label_count();
    kinds.labels_follow = true;
    return kinds;
}

std::unique_ptr<SentenceScorer> NeuralScorer::begin(std::size_t sentence) const {
    return std::make_unique<NeuralSentence>(model_, states_.rows(sentence), states_.length(sentence));
}

}  // namespace arbora::neural
