// How trees are found by scores: by tables of arcs where arcs are scored alone, by a graph where parts of several arcs
// or tags are, or where less than a tree is asked for. Which of the two is decided here, once; nobody else asks.
#pragma once
#include <memory>
#include <optional>

#include "parsing/losses.hpp"
#include "parsing/parse.hpp"

namespace arbora {

// The trees of one sentence over its candidate arcs. Arc scores are one for each candidate.
class TreeSearch {
public:
    virtual ~TreeSearch() = default;

    // The best tree, with its value and bound. Throws Infeasible.
    virtual void find_best(const std::vector<double>& arc_scores, ParseRef& result) = 0;

    // Sums over all trees; the rest is what it found then. Throws Infeasible.
    virtual void sum(const std::vector<double>& arc_scores) = 0;
    // Probabilities of arcs, (n + 1) x (n + 1).
    virtual void find_marginals(std::vector<double>& table) = 0;
    virtual double log_partition() = 0;
    virtual double log_probability(const int* heads) = 0;
    // Whether all that is exact, and so are the k best trees, in order.
    virtual bool is_exact() const = 0;
    virtual std::vector<LabelledTree> best_trees(int k) = 0;
    // The same with labels, of candidates that have scores for them; nothing if labels must be found tree by tree.
    virtual std::optional<std::vector<LabelledTree>> best_labelled_trees(int k) = 0;

    // The most probable tag of each word and its probability, by what was found last.
    virtual void read_tags(const SentenceScorer& scorer, ParseRef& result) const = 0;
};

class Inference {
public:
    virtual ~Inference() = default;

    // What of an arc's labels the best tree counts.
    virtual ArcTotal total_for_best() const = 0;
    // All that is given must outlive it.
    virtual std::unique_ptr<TreeSearch> begin(SentenceScorer& scorer, const ScoreKinds& kinds,
                                              const Candidates& candidates, const ParseOptions& options) const = 0;

    // A loss over trees (losses.hpp, graph_loss.hpp), and its gradient. Throws Infeasible.
    virtual double loss(const Candidates& candidates, const SentenceParts& parts, GoldTree gold, LossFamily family,
                        TreeKind kind, const GraphOptions& options, ScoreGradient& gradient) const = 0;
    // Whether its sums over trees are exact.
    virtual bool is_exact(const SentenceParts& parts, TreeKind kind, const GraphOptions& options) const = 0;
};

// Trees of arcs alone are found exactly by tables; weaker constraints than trees are for solvers on a graph.
const Inference& inference_for(const ScoreKinds& kinds, const GraphOptions& options);

// Its two members.
const Inference& table_inference();
const Inference& graph_inference();

// Adds the time since the last stage ended to a stage.
class StageTimer {
public:
    explicit StageTimer(StageTimes* times);
    void end(double StageTimes::* stage);

private:
    StageTimes* times_;
    double last_ = 0;
};

}  // namespace arbora
