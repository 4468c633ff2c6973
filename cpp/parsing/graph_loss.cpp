#include "parsing/graph_loss.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "parsing/automata_alone.hpp"

namespace arbora {
namespace {

void clear(const SentenceParts& parts, PartNumbers<double>& numbers) {
    for (int k = 0; k < part_kind_count; ++k) numbers[k].assign(parts.parts[k].size(), 0.0);
}

// What arcs with these shares, each with its best label, have of the gradient.
template <class Share>
void add_arcs(const Candidates& potentials, const std::vector<Share>& shares, ScoreGradient& gradient) {
    const int per_arc = potentials.per_arc();
    for (std::size_t a = 0; a < potentials.arcs.size(); ++a) {
        if (shares[a] == 0) continue;
        const double* row = potentials.scores.data() + a * per_arc;
        gradient.arcs[a * per_arc + (std::max_element(row, row + per_arc) - row)] = shares[a];
    }
}

// The best tree's share of the gradient, or that of the fractions that a relaxation found; returns its score.
double add_best(const PartGraph& graph, const Candidates& potentials, const Outcome& outcome, OuterSet outer,
                ScoreGradient& gradient, Arena& arena) {
    if (outcome.assignment.empty()) throw Infeasible("no tree was found");
    if (outer == OuterSet::none || outcome.parts.empty() || is_certificate(outcome.value, outcome.upper_bound)) {
        add_arcs(potentials, outcome.assignment, gradient);
        graph.add_parts_of(outcome.assignment, 1, gradient.parts, arena);
        return outcome.value;
    }
    add_arcs(potentials, outcome.beliefs, gradient);
    graph.add_parts(outcome.parts, 1, gradient.parts);
    return outcome.upper_bound;
}

// The probabilities of arcs and labels (`totals`: the sums over the labels of each arc), parts and tags; returns the
// log-partition.
double add_expectations(const PartGraph& graph, const Candidates& potentials, const std::vector<double>& totals,
                        const Outcome& outcome, ScoreGradient& gradient) {
    if (outcome.infeasible) throw Infeasible("no tree is possible");
    const int per_arc = potentials.per_arc();
    for (std::size_t a = 0; a < potentials.arcs.size(); ++a) {
        const double belief = outcome.beliefs[a];
        if (belief == 0) continue;
        for (int l = 0; l < per_arc; ++l)
            gradient.arcs[a * per_arc + l] = belief * std::exp(potentials.scores[a * per_arc + l] - totals[a]);
    }
    graph.add_parts(outcome.parts, 1, gradient.parts);
    if (!gradient.tags.empty()) graph.add_tags(outcome.beliefs, outcome.parts, gradient.tags);
    return outcome.log_partition;
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

void subtract(const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
}

void subtract(const ScoreGradient& from, ScoreGradient& to) {
    subtract(from.arcs, to.arcs);
    for (int k = 0; k < part_kind_count; ++k) subtract(from.parts[k], to.parts[k]);
    subtract(from.tags.words, to.tags.words);
    subtract(from.tags.links, to.tags.links);
    subtract(from.tags.bigrams, to.tags.bigrams);
    subtract(from.tags.trigrams, to.tags.trigrams);
}

// A loss over the trees of one sentence, for one family.
class GraphLoss {
public:
    GraphLoss(const SentenceParts& parts, LossFamily family, TreeKind kind, const GraphOptions& options)
        : parts_(parts), options_(options), kind_(kind), is_best_(std::isinf(family.beta)) {}

    double run(const Candidates& candidates, GoldTree gold, LossFamily family, ScoreGradient& gradient) {
        thread_local Potentials p;
        p.set(candidates, gold, family);
        Arena arena;
        const double total = options_.outer == OuterSet::automata
                                 ? choose_alone(p.candidates, gold, family.gamma, gradient, arena)
                                 : expect(p.candidates, p.beta, options_.outer, gradient, arena);
        if (!p.is_latent) return total - subtract_gold(*graph_, parts_, p, gold, gradient, arena);
        thread_local ScoreGradient own;
        const double agreeing = expect(p.agreeing, p.beta, OuterSet::none, own, arena);
        subtract(own, gradient);
        complete_tree(p.agreeing, own.arcs, kind_, gradient.completed);
        return total - agreeing;
    }

private:
    // Fills a gradient with what is expected of the trees over these potentials; returns their score.
    double expect(const Candidates& potentials, double beta, OuterSet outer, ScoreGradient& gradient, Arena& arena) {
        collapse(potentials, is_best_ ? Collapse::best : Collapse::sum, arcs_);
        const GraphShape shape =
            is_best_ ? shape_for_best(options_) : GraphShape{joins_for_sums(options_), options_.constraint};
        const PartGraph& graph = graph_.emplace(parts_, arcs_, shape, kind_, beta);
        const Outcome outcome =
            is_best_ ? solve(graph, options_) : sum(graph, options_, sums_exactly(parts_, kind_, options_));
        begin(potentials, gradient);
        return is_best_ ? add_best(graph, potentials, outcome, outer, gradient, arena)
                        : add_expectations(graph, potentials, arcs_, outcome, gradient) / beta;
    }

    // The same for what head automata choose by themselves. That has not one arc for each word, so a cost for arcs that
    // are wrong would let it leave out right ones for nothing: half of it is for those that are taken and wrong, half for
    // those that are right and missing, which for trees is the same.
    double choose_alone(const Candidates& potentials, GoldTree gold, double gamma, ScoreGradient& gradient,
                        Arena& arena) {
        if (!is_best_) throw std::invalid_argument("automata alone are for losses that take the worst alone");
        collapse(potentials, Collapse::best, arcs_);
        double total = 0;
        for (int m = 1; m <= potentials.n; ++m) total += gold.heads[m] >= 0 ? gamma / 2 : 0;
        for (std::size_t a = 0; a < arcs_.size(); ++a)
            if (gold.heads[potentials.arcs[a].modifier] >= 0) arcs_[a] -= gamma / 2;
        GraphShape shape = shape_for_best(options_);
        shape.without_constraint = true;
        const PartGraph& graph = graph_.emplace(parts_, arcs_, shape, kind_, 1);
        const Outcome outcome = best_of_automata(graph, arena);
        if (outcome.infeasible) throw Infeasible("a word has no possible head");
        begin(potentials, gradient);
        add_arcs(potentials, outcome.beliefs, gradient);
        graph.add_parts(outcome.parts, 1, gradient.parts);
        return total + outcome.value;
    }

    void begin(const Candidates& potentials, ScoreGradient& gradient) const {
        gradient.arcs.assign(potentials.scores.size(), 0.0);
        clear(parts_, gradient.parts);
        gradient.tags.set_zeros(parts_.tags);
    }

    const SentenceParts& parts_;
    const GraphOptions& options_;
    TreeKind kind_;
    bool is_best_;
    std::vector<double> arcs_;
    std::optional<PartGraph> graph_;
};

}  // namespace

double graph_loss(const Candidates& candidates, const SentenceParts& parts, GoldTree gold, LossFamily family,
                  TreeKind kind, const GraphOptions& options, ScoreGradient& gradient) {
    return GraphLoss(parts, family, kind, options).run(candidates, gold, family, gradient);
}

}  // namespace arbora
