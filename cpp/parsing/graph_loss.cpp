#include "parsing/graph_loss.hpp"

#include <algorithm>
#include <cmath>

namespace arbora {
namespace {

void clear(const SentenceParts& parts, PartNumbers<double>& numbers) {
    for (int k = 0; k < part_kind_count; ++k) numbers[k].assign(parts.parts[k].size(), 0.0);
}

// The best tree's share of the gradient, or that of the fractions that a relaxation found; returns its score.
double add_best(const PartGraph& graph, const Potentials& p, const Outcome& outcome, bool outer,
                ScoreGradient& gradient, Arena& arena) {
    if (outcome.assignment.empty()) throw Infeasible("no tree was found");
    const bool is_tree = !outer || outcome.parts.empty() || is_certificate(outcome.value, outcome.upper_bound);
    const int per_arc = p.candidates.per_arc();
    for (std::size_t a = 0; a < p.candidates.arcs.size(); ++a) {
        const double share = is_tree ? outcome.assignment[a] : outcome.beliefs[a];
        if (share == 0) continue;
        const double* row = p.candidates.scores.data() + a * per_arc;
        gradient.arcs[a * per_arc + (std::max_element(row, row + per_arc) - row)] = share;
    }
    if (is_tree)
        graph.add_parts_of(outcome.assignment, 1, gradient.parts, arena);
    else
        graph.add_parts(outcome.parts, 1, gradient.parts);
    return is_tree ? outcome.value : outcome.upper_bound;
}

// The probabilities of arcs and labels (`totals`: the sums over the labels of each arc), parts and tags; returns the
// log-partition.
double add_expectations(const PartGraph& graph, const Potentials& p, const std::vector<double>& totals,
                        const Outcome& outcome, ScoreGradient& gradient) {
    if (outcome.infeasible) throw Infeasible("no tree is possible");
    const int per_arc = p.candidates.per_arc();
    for (std::size_t a = 0; a < p.candidates.arcs.size(); ++a) {
        const double belief = outcome.beliefs[a];
        if (belief == 0) continue;
        for (int l = 0; l < per_arc; ++l)
            gradient.arcs[a * per_arc + l] = belief * std::exp(p.candidates.scores[a * per_arc + l] - totals[a]);
    }
    graph.add_parts(outcome.parts, 1, gradient.parts);
    if (!gradient.tags.empty()) graph.add_tags(outcome.beliefs, outcome.parts, gradient.tags);
    return outcome.log_partition / p.beta;
}

// Takes the gold tree from the gradient; returns its score.
double subtract_gold(const PartGraph& graph, const SentenceParts& parts, const Potentials& p, GoldTree gold,
                     ScoreGradient& gradient, Arena& arena) {
    for (const auto& [at, probability] : p.right) gradient.arcs[at] -= probability;
    thread_local PartNumbers<double> gold_parts;
    clear(parts, gold_parts);
    graph.add_parts_of_tree(gold.heads, 1, gold_parts, arena);
    double score = p.gold;
    if (!parts.tags.empty())
        score += gold.tags ? score_tags(parts.arcs, parts.tags, gold.heads, gold.tags, gradient.tags)
                           : sum_tags(parts.arcs, parts.tags, p.beta, gold.heads, &gradient.tags) / p.beta;
    for (int k = 0; k < part_kind_count; ++k)
        for (std::size_t i = 0; i < gold_parts[k].size(); ++i) {
            score += gold_parts[k][i] * parts.scores[k][i];
            gradient.parts[k][i] -= gold_parts[k][i];
        }
    return score;
}

}  // namespace

double graph_loss(const Candidates& candidates, const SentenceParts& parts, GoldTree gold, LossFamily family,
                  TreeKind kind, const GraphOptions& options, ScoreGradient& gradient) {
    const bool best = std::isinf(family.beta);
    thread_local Potentials p;
    thread_local std::vector<double> arcs;
    p.set(candidates, gold, family);
    collapse(p.candidates, best ? Collapse::best : Collapse::sum, arcs);
    const GraphShape shape = best ? shape_for_best(options) : GraphShape{joins_for_sums(options), options.constraint};
    const PartGraph graph(parts, arcs, shape, kind, p.beta);
    const Outcome outcome = best ? solve(graph, options) : sum(graph, options, sums_exactly(parts, kind, options));
    gradient.arcs.assign(candidates.scores.size(), 0.0);
    clear(parts, gradient.parts);
    gradient.tags.set_zeros(parts.tags);
    Arena arena;
    const double total = best ? add_best(graph, p, outcome, options.outer, gradient, arena)
                              : add_expectations(graph, p, arcs, outcome, gradient);
    return total - subtract_gold(graph, parts, p, gold, gradient, arena);
}

}  // namespace arbora
