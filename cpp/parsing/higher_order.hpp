#pragma once
#include <array>
#include <vector>

#include "linear/part_features.hpp"
#include "parsing/losses.hpp"
#include "parsing/tag_features.hpp"
#include "parts/part_graph.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

// How the best tree is found, or probabilities: they all see the same graph.
enum class GraphSolver : std::uint8_t { belief_propagation, dual_decomposition, ad3, hill_climbing };

struct GraphOptions {
    GraphSolver solver = GraphSolver::dual_decomposition;
    int iterations = 200;   // at most, of solvers that maximise
    int propagations = 10;  // at most, of belief propagation
    TreeConstraint constraint = TreeConstraint::tree;
    // Whether a bound is wanted of solvers that have none: dual decomposition follows, and the better tree counts.
    bool certify = false;
    // Learning takes what dual decomposition finds where it is no tree: the mean of what factors chose, which may be
    // fractions. It is of the outer set that the relaxation searches (Martins et al. 2010), and a model that has learned
    // to score it below the gold tree has fewer gaps.
    bool outer = false;
    // Of branch and bound, at most, where the solver has no proof; 0: there is no branching.
    int nodes = 0;
};

// Scores of parts of several arcs, beside those of arcs that FirstOrder gives: the sections of the templates from
// first_part_section on. And of tags of words, of which arcs see two, and chains all.
class HigherOrder {
public:
    // `tags`: how many there are; 0: words have none.
    explicit HigherOrder(const Templates& templates, int tags = 0);

    bool is_active() const { return is_active_; }
    const TagFeatures& tags() const { return tags_; }

    // Lists the parts over the arcs, without tags.
    void list(const std::vector<Arc>& arcs, int n, SentenceParts& parts) const { parts.set(arcs, n, wanted_); }
    // Lists them, and scores them.
    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
               SentenceParts& parts) const;
    // Adds the features of the parts; what is below 1e-3 is left out. Those of tags are `tags()`'s own.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, const SentenceParts& parts,
                      const PartNumbers<double>& gradient, SparseSum& sum) const;

private:
    std::vector<PartFeatures> features_;  // by kind
    std::array<bool, part_kind_count> wanted_{};
    TagFeatures tags_;
    bool is_active_;
};

// Whether sums over trees are found by an exact chart: trees are projective, it knows all parts, words have no tags, and
// nobody asked for belief propagation.
bool sums_exactly(const SentenceParts& parts, TreeKind kind, const GraphOptions& options);

// Whether a graph for sums must be joined (GraphShape): with a tree, heads are variables of many values; with weaker
// constraints, arcs are binary variables.
bool joins_for_sums(const GraphOptions& options);

// Probabilities of arcs and of the groups' parts, and the log-partition, which is that of Bethe unless it is exact.
Outcome sum(const PartGraph& graph, const GraphOptions& options, bool exactly);

// The graph that a solver that maximises wants.
GraphShape shape_for_best(const GraphOptions& options);

// Solves a graph of parts, whose words have no tags unless it is by belief propagation. Solvers that maximise give an assignment, belief propagation beliefs; `upper_bound` and
// `value` tell whether the assignment is proved.
Outcome solve(const PartGraph& graph, const GraphOptions& options);

// The loss family over trees with parts (losses.hpp): for beta = inf by a solver that maximises, else by belief
// propagation, whose log-partition is that of Bethe. Returns the loss and fills the gradients. Tags take a finite beta, and cost
// nothing. `tags`: the places of those that were observed, among the ones that words 1..n may have; null: they are hidden, and
// summed out, those of the gold tree exactly, which a chain of tags does not allow. Throws Infeasible.
double graph_loss(const Candidates& candidates, const SentenceParts& parts, const int* heads, const int* labels,
                  const int* tags, LossFamily family, TreeKind kind, const GraphOptions& options,
                  std::vector<double>& gradient, PartNumbers<double>& part_gradient, TagNumbers& tag_gradient);

}  // namespace arbora
