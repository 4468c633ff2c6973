// The stages of a parse that the best tree and the k best have in common.
#pragma once
#include <chrono>
#include <optional>

#include "linear/label_chains.hpp"
#include "parsing/parse.hpp"
#include "parsing/sibling_tables.hpp"

namespace arbora {

// Labels that are seen at the root only, or never there, say something about the head.
struct Implied {
    std::vector<int> heads;
    std::vector<char> not_root;

    Given add_to(Given given, const FirstOrder& model, int n);
};

// run(given) with what the labels imply; if no tree goes with that, without: only what is given binds.
template <class Run>
auto with_implied(Given given, const FirstOrder& model, int n, Run run) {
    if (!given.labels) return run(given);
    Implied implied;
    try {
        return run(implied.add_to(given, model, n));
    } catch (const Infeasible&) {
        return run(given);
    }
}

void choose_candidates(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, TreeKind kind,
                       Prepared& prepared, Candidates& candidates);

// Chosen and scored candidates, without labels that contradict what is given, and with roles summed out.
void score_candidates(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, TreeKind kind,
                      Prepared& prepared, FirstOrder::Workspace& space, Candidates& candidates);

// Adds the time since the last lap to a stage.
class Laps {
public:
    explicit Laps(StageTimes* times) : times_(times) {
        if (times_) last_ = std::chrono::steady_clock::now();
    }
    void end(double StageTimes::* stage) {
        if (!times_) return;
        const auto now = std::chrono::steady_clock::now();
        times_->*stage += std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

private:
    StageTimes* times_;
    std::chrono::steady_clock::time_point last_;
};

// The labels of a family by the second stage.
struct Chains {
    std::vector<double> unary, probabilities;
    SiblingTables tables;

    // Valid until the next one is set.
    LabelChain set(const Parser& parser, const Prepared& prepared, FirstOrder::Workspace& space,
                   const FirstOrder::Family& family, Given given);
};

// What a model with parts of several arcs says, by solvers on a graph.
class ByGraph {
public:
    ByGraph(const Parser& parser, const Prepared& prepared, const std::vector<Arc>& arcs, const ParseOptions& options);

    // Probabilities of arcs, exact or by belief propagation (sums_exactly), into a table. Throws Infeasible.
    void find_marginals(const std::vector<double>& arc_scores, std::vector<double>& table);
    // After find_marginals; by Bethe's log-partition, which is an approximation, if they are not exact.
    double log_probability(const int* heads);

    double log_partition() const { return log_partition_; }
    // Whether probabilities are exact, and so are the best trees, by what find_marginals was given.
    bool sums_exactly() const;
    std::vector<LabelledTree> best_trees(int k) const;

    // The best tree with its value and bound. Throws Infeasible.
    void find_best(const std::vector<double>& arc_scores, const Candidates& candidates, ParseRef& result);

    // After either of them, the most probable tag of each word and its probability, by what it found last.
    void read_tags(const Prepared& prepared, ParseRef& result) const;

private:
    GraphShape shape_for_sums() const;
    void keep_tags(const PartGraph& graph, const Outcome& outcome);

    const ParseOptions& options_;
    double scale_, log_partition_ = 0;
    SentenceParts parts_;
    std::vector<double> arc_scores_, tag_beliefs_;  // of find_marginals; of all tags of all words
    std::optional<PartGraph> sums_;
    Arena arena_;
};

}  // namespace arbora
