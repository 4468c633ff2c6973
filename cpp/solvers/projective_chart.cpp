#include "solvers/projective_chart.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "charts/projective_siblings.hpp"
#include "solvers/chart_parts.hpp"
#include "support/exponential.hpp"
#include "support/logarithms.hpp"

namespace arbora {
namespace {

const ProjectiveTreeFactor& tree_of(const FactorGraph& graph) {
    const ProjectiveTreeFactor* tree = nullptr;
    for (const auto& group : graph.groups())
        if (const auto* found = dynamic_cast<const ProjectiveTreeFactor*>(group.get())) {
            if (tree) refuse_for_chart("there are several trees");
            tree = found;
        }
    if (!tree) refuse_for_chart("there is no tree");
    return *tree;
}

bool has_grandparents(const FactorGraph& graph) {
    return std::any_of(graph.groups().begin(), graph.groups().end(), [](const auto& group) {
        return dynamic_cast<const GrandSiblings*>(group.get()) || dynamic_cast<const Pairs*>(group.get());
    });
}

// The tree of a graph and what is scored about it.
class ChartProblem {
public:
    explicit ChartProblem(const FactorGraph& graph) : arcs_(graph, tree_of(graph)) {
        trees_.set_arcs(arcs_.list(), has_grandparents(graph));
        std::vector<double> scores(trees_.chart().part_count(), 0.0);
        for (const auto& group : graph.groups()) {
            parts_.emplace_back();
            if (dynamic_cast<const ProjectiveTreeFactor*>(group.get())) continue;
            parts_.back().emplace(*group, arcs_, trees_.chart());
            constant_ += parts_.back()->add_scores(scores.data());
        }
        trees_.set_scores(arcs_.scores, scores);
    }

    bool is_possible() const { return trees_.best_score() + constant_ != -INFINITY; }
    bool is_arc(int slot) const { return arcs_.port_of_slot[slot] >= 0; }

    // Makes the arcs of the best trees true in a copy of an assignment.
    std::vector<Assignment> best(int k, const Assignment& others) const {
        if (k == 1) {
            Heads heads(arcs_.words + 1);
            trees_.best_tree(heads.data());
            return {with_tree(heads, others)};
        }
        std::vector<Assignment> result;
        for (const ScoredTree& tree : trees_.best_trees(k)) result.push_back(with_tree(tree.heads, others));
        return result;
    }

    // Returns the log-partition.
    double sum(std::vector<double>& beliefs, std::vector<std::vector<double>>& parts) {
        std::vector<double> arcs(arcs_.slots.size()), chart_parts(trees_.chart().part_count());
        const double log_partition = trees_.sum(arcs.data(), chart_parts.data());
        for (std::size_t arc = 0; arc < arcs.size(); ++arc) beliefs[arcs_.slots[arc]] = arcs[arc];
        for (const auto& group : parts_)
            parts.push_back(group ? group->probabilities(chart_parts.data()) : std::vector<double>());
        return log_partition + constant_;
    }

private:
    Assignment with_tree(const Heads& heads, Assignment assignment) const {
        for (std::size_t arc = 0; arc < arcs_.slots.size(); ++arc)
            assignment[arcs_.slots[arc]] = heads[arcs_.modifiers[arc]] == arcs_.heads[arc];
        return assignment;
    }

    ChartArcs arcs_;
    ProjectiveSiblings trees_;
    std::vector<std::optional<ChartParts>> parts_;  // of each group but the tree
    double constant_ = 0;
};

// A variable that no factor sees: its best value, its probabilities. Returns its log-partition, -inf if it has none.
double solve_alone(const FactorGraph& graph, int variable, double* beliefs, Assignment& best) {
    const Variables& variables = graph.variables();
    const int first = variables.first(variable), size = variables.size(variable);
    if (!variables.is_category(variable)) {
        const double unary = graph.unary(first);
        if (graph.evidence(variable) == 1 && unary == -INFINITY) return -INFINITY;
        best[first] = unary > 0;
        beliefs[first] = unary == INFINITY ? 1 : unary == -INFINITY ? 0 : 1 / (1 + std::exp(-unary));
        return unary == INFINITY ? graph.score(first) : unary == -INFINITY ? 0 : softplus(unary);
    }
    int highest = first;
    double total = -INFINITY;
    for (int slot = first; slot < first + size; ++slot) {
        if (graph.unary(slot) > graph.unary(highest)) highest = slot;
        total = log_add(total, graph.unary(slot));
    }
    if (total == -INFINITY) return total;
    best[highest] = 1;
    for (int slot = first; slot < first + size; ++slot) beliefs[slot] = exp_bounded(graph.unary(slot) - total);
    return total;
}

Outcome nothing(const FactorGraph& graph) {
    Outcome outcome;
    outcome.converged = outcome.infeasible = true;
    outcome.beliefs.assign(graph.slots(), 0.0);
    outcome.log_partition = outcome.upper_bound = -INFINITY;
    return outcome;
}

void rank(const FactorGraph& graph, std::vector<Assignment> assignments, Outcome& outcome) {
    Arena arena;
    std::vector<double> values;
    for (const Assignment& assignment : assignments) values.push_back(graph.value(assignment, arena));
    std::vector<int> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&values](int a, int b) { return values[a] > values[b]; });
    for (int i : order) {
        outcome.ranked.push_back(std::move(assignments[i]));
        outcome.ranked_values.push_back(values[i]);
    }
    outcome.assignment = outcome.ranked[0];
    outcome.value = outcome.upper_bound = outcome.ranked_values[0];
}

}  // namespace

Outcome solve_by_projective_chart(const FactorGraph& graph, bool with_sums, int k) {
    std::optional<ChartProblem> problem;
    if (!graph.groups().empty()) problem.emplace(graph);
    if (problem && !problem->is_possible()) return nothing(graph);

    Outcome outcome;
    outcome.converged = true;
    outcome.beliefs.assign(graph.slots(), 0.0);
    Assignment best(graph.slots(), 0);
    double log_partition = 0;
    for (int v = 0; v < graph.variables().count(); ++v) {
        if (problem && problem->is_arc(graph.variables().first(v))) continue;
        log_partition += solve_alone(graph, v, outcome.beliefs.data(), best);
    }
    if (log_partition == -INFINITY) return nothing(graph);

    rank(graph, problem ? problem->best(k, best) : std::vector<Assignment>{best}, outcome);
    if (with_sums) {
        if (problem) log_partition += problem->sum(outcome.beliefs, outcome.parts);
        outcome.log_partition = log_partition;
    } else {
        outcome.beliefs.assign(outcome.assignment.begin(), outcome.assignment.end());
    }
    return outcome;
}

}  // namespace arbora
