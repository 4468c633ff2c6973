// Trees with scores of parts of several arcs, or of tags, by solvers on a graph.
#include <algorithm>
#include <cmath>
#include <utility>

#include "parsing/exact_charts.hpp"
#include "parsing/graph_loss.hpp"
#include "parsing/inference.hpp"

namespace arbora {
namespace {

class GraphSearch final : public TreeSearch {
public:
    GraphSearch(SentenceScorer& scorer, const ScoreKinds& kinds, const Candidates& candidates,
                const ParseOptions& options)
        : candidates_(candidates), options_(options), scale_(kinds.part_scale) {
        scorer.score_parts(candidates.arcs, parts_);
    }

    void find_best(const std::vector<double>& arc_scores, ParseRef& result) override {
        StageTimer timer(options_.times);
        GraphOptions own_options = options_.graph;
        if (!parts_.tags.empty()) own_options.solver = GraphSolver::belief_propagation;  // it sums over tags
        const PartGraph graph(parts_, arc_scores, shape_for_best(own_options), options_.kind, scale_);
        timer.end(&StageTimes::graphs);
        const Outcome outcome = solve(graph, own_options);
        if (outcome.infeasible) throw Infeasible("no tree is possible");
        keep_tags(graph, outcome);
        result.value = outcome.value;
        result.upper_bound = outcome.upper_bound;
        if (!outcome.assignment.empty() && options_.graph.constraint == TreeConstraint::tree)
            return graph.read_heads(outcome.assignment, result.heads);
        find_nearest_tree(arc_scores, outcome.beliefs, result.heads);
        if (parts_.tags.empty()) result.value = graph.value_of_tree(result.heads, arena_);
    }

    void sum(const std::vector<double>& arc_scores) override {
        sums_.emplace(parts_, arc_scores, shape_for_sums(), options_.kind, scale_);
        Outcome outcome = arbora::sum(*sums_, options_.graph, is_exact());
        if (outcome.infeasible) throw Infeasible("no tree is possible");
        log_partition_ = outcome.log_partition;
        arc_scores_ = arc_scores;
        keep_tags(*sums_, outcome);
        beliefs_ = std::move(outcome.beliefs);
    }

    void find_marginals(std::vector<double>& table) override {
        const std::size_t width = candidates_.n + 1;
        table.assign(width * width, 0.0);
        for (std::size_t a = 0; a < candidates_.arcs.size(); ++a) table[candidates_.cell(a)] = beliefs_[a];
    }

    double log_partition() override { return log_partition_; }

    // By Bethe's log-partition, which is an approximation, if sums are not exact. Chain and links of a tree's tags make
    // circles, so their sum is that of Bethe too.
    double log_probability(const int* heads) override {
        if (!parts_.tags.has_chain()) return sums_->value_of_tree(heads, arena_) - log_partition_;
        std::vector<double> own = arc_scores_;
        for (std::size_t a = 0; a < own.size(); ++a)
            if (candidates_.arcs[a].head != heads[candidates_.arcs[a].modifier]) own[a] = impossible;
        const PartGraph alone(parts_, own, shape_for_sums(), options_.kind, scale_);
        return arbora::sum(alone, options_.graph, false).log_partition - log_partition_;
    }

    bool is_exact() const override { return sums_exactly(parts_, options_.kind, options_.graph); }

    std::vector<LabelledTree> best_trees(int k) override {
        std::vector<LabelledTree> result;
        for (ScoredTree& tree : best_projective_trees(*sums_, k))
            result.push_back({std::move(tree.heads), {}, tree.score});
        return result;
    }

    std::optional<std::vector<LabelledTree>> best_labelled_trees(int) override { return std::nullopt; }

    void read_tags(const SentenceScorer& scorer, ParseRef& result) const override {
        for (int word = 1; word <= candidates_.n; ++word) {
            const double* own = tag_beliefs_.data() + parts_.tags.begins[word - 1];
            const auto best = std::max_element(own, own + parts_.tags.count(word)) - own;
            result.tags[word] = scorer.tag_at(word, static_cast<int>(best));
            if (result.tag_probabilities) result.tag_probabilities[word] = own[best];
        }
    }

private:
    GraphShape shape_for_sums() const { return {joins_for_sums(options_.graph), options_.graph.constraint}; }

    // What was found is no tree, perhaps: the one that has the most of it.
    void find_nearest_tree(const std::vector<double>& arc_scores, const std::vector<double>& beliefs,
                           int* heads) const {
        double bonus = 1;
        for (double score : arc_scores)
            if (score != impossible) bonus = std::max(bonus, 2 * std::abs(score));
        std::vector<double> own = arc_scores, table;
        for (std::size_t a = 0; a < own.size(); ++a) own[a] += bonus * beliefs[a];
        fill_table(candidates_, own, table);
        TreeRef tree{heads, nullptr, 0};
        arbora::find_best({table.data(), candidates_.n, 0}, options_.kind, tree);
    }

    void keep_tags(const PartGraph& graph, const Outcome& outcome) {
        if (!parts_.tags.empty())
            tag_beliefs_.assign(outcome.beliefs.begin() + graph.graph().slots(), outcome.beliefs.end());
    }

    const Candidates& candidates_;
    const ParseOptions& options_;
    double scale_, log_partition_ = 0;
    SentenceParts parts_;
    std::vector<double> arc_scores_, beliefs_, tag_beliefs_;  // the latter of all tags of all words
    std::optional<PartGraph> sums_;
    Arena arena_;
};

class GraphInference final : public Inference {
public:
    ArcTotal total_for_best() const override { return ArcTotal::learned; }

    std::unique_ptr<TreeSearch> begin(SentenceScorer& scorer, const ScoreKinds& kinds, const Candidates& candidates,
                                      const ParseOptions& options) const override {
        return std::make_unique<GraphSearch>(scorer, kinds, candidates, options);
    }

    double loss(const Candidates& candidates, const SentenceParts& parts, GoldTree gold, LossFamily family,
                TreeKind kind, const GraphOptions& options, ScoreGradient& gradient) const override {
        return graph_loss(candidates, parts, gold, family, kind, options, gradient);
    }

    bool is_exact(const SentenceParts& parts, TreeKind kind, const GraphOptions& options) const override {
        return sums_exactly(parts, kind, options);
    }
};

}  // namespace

const Inference& graph_inference() {
    static const GraphInference inference;
    return inference;
}

}  // namespace arbora
