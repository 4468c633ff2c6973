// Trees whose arcs are scored alone, by tables of (n + 1) x (n + 1) scores: exactly.
#include <algorithm>

#include "parsing/inference.hpp"

namespace arbora {
namespace {

class TableSearch final : public TreeSearch {
public:
    TableSearch(const Candidates& candidates, TreeKind kind) : candidates_(candidates), kind_(kind) {}

    void find_best(const std::vector<double>& arc_scores, ParseRef& result) override {
        std::vector<double> table;
        fill_table(candidates_, arc_scores, table);
        TreeRef tree{result.heads, nullptr, 0};
        arbora::find_best({table.data(), candidates_.n, 0}, kind_, tree);
    }

    void sum(const std::vector<double>& arc_scores) override { fill_table(candidates_, arc_scores, table_); }

    void find_marginals(std::vector<double>& table) override {
        table.resize(table_.size());
        arbora::find_marginals(scores(), kind_, false, table.data());
    }

    double log_partition() override { return find_log_partition(scores(), kind_); }

    double log_probability(const int* heads) override {
        double result = -log_partition();
        for (int m = 1; m <= candidates_.n; ++m)
            result += table_[static_cast<std::size_t>(heads[m]) * (candidates_.n + 1) + m];
        return result;
    }

    bool is_exact() const override { return true; }
    std::vector<LabelledTree> best_trees(int k) override { return find_kbest(scores(), kind_, k); }

    std::optional<std::vector<LabelledTree>> best_labelled_trees(int k) override {
        const int labels = candidates_.labels;
        if (!labels) return std::nullopt;
        std::vector<double> labelled(table_.size() * labels, impossible);
        for (std::size_t a = 0; a < candidates_.arcs.size(); ++a)
            std::copy_n(candidates_.scores.data() + a * labels, labels, labelled.data() + candidates_.cell(a) * labels);
        return find_kbest({labelled.data(), candidates_.n, labels}, kind_, k);
    }

    void read_tags(const SentenceScorer&, ParseRef&) const override {}

private:
    SentenceScores scores() const { return {table_.data(), candidates_.n, 0}; }

    const Candidates& candidates_;
    TreeKind kind_;
    std::vector<double> table_;
};

class TableInference final : public Inference {
public:
    ArcTotal total_for_best() const override { return ArcTotal::best; }

    std::unique_ptr<TreeSearch> begin(SentenceScorer&, const ScoreKinds&, const Candidates& candidates,
                                      const ParseOptions& options) const override {
        return std::make_unique<TableSearch>(candidates, options.kind);
    }

    double loss(const Candidates& candidates, const SentenceParts&, GoldTree gold, LossFamily family, TreeKind kind,
                const GraphOptions&, ScoreGradient& gradient) const override {
        return tree_loss(candidates, gold, family, kind, gradient.arcs, &gradient.completed);
    }

    bool is_exact(const SentenceParts&, TreeKind, const GraphOptions&) const override { return true; }
};

}  // namespace

const Inference& table_inference() {
    static const TableInference inference;
    return inference;
}

}  // namespace arbora
