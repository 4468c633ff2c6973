#include "parsing/higher_order.hpp"

#include <algorithm>
#include <cmath>

#include "parsing/exact_charts.hpp"
#include "parsing/head_propagation.hpp"
#include "parsing/hill_climbing.hpp"
#include "solvers/ad3.hpp"
#include "solvers/belief_propagation.hpp"
#include "solvers/branch_and_bound.hpp"
#include "solvers/dual_decomposition.hpp"

namespace arbora {
namespace {

constexpr double negligible = 1e-3;
// A relaxation that is not whole by then seldom becomes so later: AD3 with 500 and with 5,000 iterations proves the same
// trees.
constexpr int most_iterations_before_branching = 100;

void clear(const SentenceParts& parts, PartNumbers<double>& numbers) {
    for (int k = 0; k < part_kind_count; ++k) numbers[k].assign(parts.parts[k].size(), 0.0);
}

Derivation completing(const PartGraph& graph) {
    if (!graph.descent_group()) return nullptr;
    return [&graph](Assignment& assignment) { graph.complete(assignment); };
}

}  // namespace

HigherOrder::HigherOrder(const Templates& templates, int tags) : tags_(templates, tags), is_active_(tags > 0) {
    for (int k = 0; k < part_kind_count; ++k) {
        const auto section = static_cast<Section>(static_cast<int>(first_part_section) + k);
        features_.emplace_back(templates.of(section));
        wanted_[k] = !features_[k].empty();
        is_active_ |= wanted_[k];
    }
}

template <class Number>
void HigherOrder::score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                        SentenceParts& parts) const {
    parts.set(arcs, sentence.n(), wanted_);
    for (int k = 0; k < part_kind_count; ++k)
        if (wanted_[k]) features_[k].score(sentence, weights, parts.parts[k], parts.scores[k].data());
    if (tags_.tags()) tags_.score(sentence, weights, arcs, parts.tags);
}

template void HigherOrder::score(const Prepared&, Weights, const std::vector<Arc>&, SentenceParts&) const;
template void HigherOrder::score(const Prepared&, ShortWeights, const std::vector<Arc>&, SentenceParts&) const;

void HigherOrder::add_gradient(const Prepared& sentence, std::uint32_t mask, const SentenceParts& parts,
                               const PartNumbers<double>& gradient, SparseSum& sum) const {
    thread_local std::vector<float> values;
    for (int k = 0; k < part_kind_count; ++k) {
        if (!wanted_[k]) continue;
        values.clear();
        for (double value : gradient[k])
            values.push_back(std::abs(value) < negligible ? 0.0f : static_cast<float>(value));
        features_[k].add_gradient(sentence, mask, parts.parts[k], values.data(), sum);
    }
}

GraphShape shape_for_best(const GraphOptions& options) {
    return {true, options.constraint, options.solver == GraphSolver::hill_climbing && !options.certify, true};
}

namespace {

Outcome solve_once(const PartGraph& graph, const GraphOptions& options) {
    switch (options.solver) {
        case GraphSolver::belief_propagation: {
            if (options.constraint == TreeConstraint::tree) return propagate_heads(graph, {options.propagations});
            PropagationOptions own;
            own.iterations = options.propagations;
            own.tolerance = 1e-3;
            own.wants_assignment = false;
            return belief_propagation(graph.tagged(), own);
        }
        case GraphSolver::dual_decomposition: {
            DualDecompositionOptions own;
            own.iterations = options.iterations;
            own.derive = completing(graph);
            own.wants_parts = options.outer;
            return dual_decomposition(graph.graph(), own);
        }
        case GraphSolver::hill_climbing: {
            Outcome climbed = climb_from_projective(graph);
            if (!options.certify || climbed.infeasible || is_certificate(climbed.value, climbed.upper_bound))
                return climbed;
            GraphOptions own = options;
            own.solver = GraphSolver::dual_decomposition;
            Outcome bounded = solve_once(graph, own);
            if (bounded.value >= climbed.value) return bounded;
            climbed.upper_bound = bounded.upper_bound;
            return climbed;
        }
        default: {
            Ad3Options own;
            own.iterations = options.iterations;
            own.derive = completing(graph);
            return ad3(graph.graph(), own);
        }
    }
}

// Branch and bound, from a tree that is good already.
Outcome prove(const PartGraph& graph, const GraphOptions& options, const Assignment& known) {
    Ad3Options own;
    own.iterations = std::min(options.iterations, most_iterations_before_branching);
    own.derive = completing(graph);
    return exact_ad3(graph.graph(), own, options.nodes, known);
}

}  // namespace

Outcome solve(const PartGraph& graph, const GraphOptions& options) {
    const bool branches = options.nodes && options.solver != GraphSolver::belief_propagation;
    if (branches && options.solver == GraphSolver::ad3)
        return prove(graph, options, climb_from_projective(graph).assignment);
    Outcome found = solve_once(graph, options);
    if (!branches || found.infeasible || is_certificate(found.value, found.upper_bound)) return found;
    Outcome proved = prove(graph, options, found.assignment);
    proved.upper_bound = std::min(proved.upper_bound, found.upper_bound);
    return proved;
}

bool joins_for_sums(const GraphOptions& options) { return options.constraint == TreeConstraint::tree; }

bool sums_exactly(const SentenceParts& parts, TreeKind kind, const GraphOptions& options) {
    if (!kind.projective || !parts.tags.empty() || options.solver == GraphSolver::belief_propagation ||
        options.constraint != TreeConstraint::tree)
        return false;
    for (int k = 0; k < part_kind_count; ++k)
        if (!parts.parts[k].empty() && !is_in_automata(k) && !part_kind(k).sees_descents()) return false;
    return true;
}

Outcome sum(const PartGraph& graph, const GraphOptions& options, bool exactly) {
    if (!exactly) {
        GraphOptions own = options;
        own.solver = GraphSolver::belief_propagation;
        return solve(graph, own);
    }
    Outcome outcome;
    outcome.log_partition = sum_projective(graph, outcome.beliefs, &outcome.parts);
    outcome.infeasible = outcome.log_partition == -INFINITY;
    outcome.converged = true;
    return outcome;
}

double graph_loss(const Candidates& candidates, const SentenceParts& parts, const int* heads, const int* labels,
                  const int* tags, LossFamily family, TreeKind kind, const GraphOptions& options,
                  std::vector<double>& gradient, PartNumbers<double>& part_gradient, TagNumbers& tag_gradient) {
    const bool best = std::isinf(family.beta);
    thread_local Potentials p;
    thread_local std::vector<double> arcs;
    p.set(candidates, heads, labels, family);
    collapse(p.candidates, best ? Collapse::best : Collapse::sum, arcs);
    Arena arena;
    const bool exactly = !best && sums_exactly(parts, kind, options);
    const GraphShape shape = best ? shape_for_best(options) : GraphShape{joins_for_sums(options), options.constraint};
    const PartGraph graph(parts, arcs, shape, kind, p.beta);
    const Outcome outcome = best ? solve(graph, options) : sum(graph, options, exactly);
    const int per_arc = candidates.per_arc();
    gradient.assign(candidates.scores.size(), 0.0);
    clear(parts, part_gradient);
    tag_gradient.set_zeros(parts.tags);
    double total = 0;
    if (best) {
        if (outcome.assignment.empty()) throw Infeasible("no tree was found");
        const bool is_tree =
            !options.outer || outcome.parts.empty() || is_certificate(outcome.value, outcome.upper_bound);
        for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
            const double share = is_tree ? outcome.assignment[a] : outcome.beliefs[a];
            if (share == 0) continue;
            const double* row = p.candidates.scores.data() + a * per_arc;
            gradient[a * per_arc + (std::max_element(row, row + per_arc) - row)] = share;
        }
        if (is_tree)
            graph.add_parts_of(outcome.assignment, 1, part_gradient, arena);
        else
            graph.add_parts(outcome.parts, 1, part_gradient);
        total = is_tree ? outcome.value : outcome.upper_bound;
    } else {
        if (outcome.infeasible) throw Infeasible("no tree is possible");
        for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
            const double belief = outcome.beliefs[a];
            if (belief == 0) continue;
            for (int l = 0; l < per_arc; ++l)
                gradient[a * per_arc + l] = belief * std::exp(p.candidates.scores[a * per_arc + l] - arcs[a]);
        }
        graph.add_parts(outcome.parts, 1, part_gradient);
        if (!parts.tags.empty()) graph.add_tags(outcome.beliefs, outcome.parts, tag_gradient);
        total = outcome.log_partition / p.beta;
    }
    for (const auto& [at, probability] : p.right) gradient[at] -= probability;
    thread_local PartNumbers<double> gold_parts;
    clear(parts, gold_parts);
    graph.add_parts_of_tree(heads, 1, gold_parts, arena);
    double gold = p.gold;
    if (!parts.tags.empty())
        gold += tags ? score_tags(parts.arcs, parts.tags, heads, tags, tag_gradient)
                     : sum_tags(parts.arcs, parts.tags, p.beta, heads, &tag_gradient) / p.beta;
    for (int k = 0; k < part_kind_count; ++k)
        for (std::size_t i = 0; i < gold_parts[k].size(); ++i) {
            gold += gold_parts[k][i] * parts.scores[k][i];
            part_gradient[k][i] -= gold_parts[k][i];
        }
    return total - gold;
}

}  // namespace arbora
