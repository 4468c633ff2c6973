#include "parsing/stages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parsing/exact_charts.hpp"

namespace arbora {
namespace {

// Leaves a known label the only one; on an arc that the training data never had it on, it counts 0.
void keep_label(double* scores, int labels, int known) {
    const double own = scores[known] == impossible ? 0 : scores[known];
    std::fill(scores, scores + labels, impossible);
    scores[known] = own;
}

}  // namespace

Given Implied::add_to(Given given, const FirstOrder& model, int n) {
    heads.assign(n + 1, -1);
    not_root.assign(n + 1, 0);
    for (int m = 1; m <= n; ++m) {
        const int label = given.labels[m];
        heads[m] = given.heads ? given.heads[m] : -1;
        if (heads[m] >= 0 || label < 0) continue;
        if (!model.may_have_label(1, label)) heads[m] = 0;
        not_root[m] = !model.may_have_label(0, label);
    }
    return {heads.data(), given.labels, not_root.data()};
}

void choose_candidates(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, TreeKind kind,
                       Prepared& prepared, Candidates& candidates) {
    prepared.set(parser.templates, encoded, sentence, ~0u);
    candidates.n = prepared.n();
    candidates.arcs = parser.pruner.choose(prepared, parser.pruner_weights, given, kind, nullptr);
}

void score_candidates(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, TreeKind kind,
                      Prepared& prepared, FirstOrder::Workspace& space, Candidates& candidates) {
    choose_candidates(parser, encoded, sentence, given, kind, prepared, candidates);
    parser.model.score(prepared, parser.weights, space, candidates);
    if (parser.model.has_roles()) {
        std::vector<double> sums;
        collapse(candidates, Collapse::sum, sums);
        candidates.labels = 0;
        candidates.scores = std::move(sums);
    }
    if (!candidates.labels || !given.labels) return;
    for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
        const int known = given.labels[candidates.arcs[a].modifier];
        if (known < 0) continue;
        keep_label(candidates.scores.data() + a * candidates.labels, candidates.labels, known);
    }
}

LabelChain Chains::set(const Parser& parser, const Prepared& prepared, FirstOrder::Workspace& space,
                       const FirstOrder::Family& family, Given given) {
    parser.model.score_modifiers(prepared, parser.weights, space, family, unary);
    const int labels = parser.model.labels(), count = static_cast<int>(family.modifiers.size());
    const double* siblings = nullptr;
    if (parser.model.labeler().has_siblings()) {
        const SiblingTables::Table& table = tables.find(parser, prepared, space, family.head);
        if (count == 1)  // no neighbours: a chain without is quicker
            for (int l = 0; l < labels; ++l) unary[l] += table.alone[l];
        else
            siblings = table.scores.data();
    }
    for (int i = 0; given.labels && i < count; ++i) {
        const int known = given.labels[family.modifiers[i]];
        if (known < 0) continue;
        keep_label(unary.data() + static_cast<std::size_t>(i) * labels, labels, known);
    }
    return {unary.data(), siblings, count, labels};
}

ByGraph::ByGraph(const Parser& parser, const Prepared& prepared, const std::vector<Arc>& arcs,
                 const ParseOptions& options)
    : options_(options), scale_(parser.model.tree_scale()) {
    parser.higher.score(prepared, parser.weights, arcs, parts_);
}

void ByGraph::find_marginals(const std::vector<double>& arc_scores, std::vector<double>& table) {
    const bool exactly = sums_exactly();
    sums_.emplace(parts_, arc_scores, shape_for_sums(), options_.kind, scale_);
    const Outcome outcome = sum(*sums_, options_.graph, exactly);
    if (outcome.infeasible) throw Infeasible("no tree is possible");
    log_partition_ = outcome.log_partition;
    arc_scores_ = arc_scores;
    keep_tags(*sums_, outcome);
    const std::size_t width = parts_.arcs.n() + 1;
    table.assign(width * width, 0.0);
    for (int a = 0; a < parts_.arcs.count(); ++a)
        table[parts_.arcs.arc(a).head * width + parts_.arcs.arc(a).modifier] = outcome.beliefs[a];
}

bool ByGraph::sums_exactly() const { return arbora::sums_exactly(parts_, options_.kind, options_.graph); }

std::vector<LabelledTree> ByGraph::best_trees(int k) const {
    std::vector<LabelledTree> result;
    for (ScoredTree& tree : best_projective_trees(*sums_, k)) result.push_back({std::move(tree.heads), {}, tree.score});
    return result;
}

void ByGraph::find_best(const std::vector<double>& arc_scores, const Candidates& candidates, ParseRef& result) {
    Laps laps(options_.times);
    GraphOptions own_options = options_.graph;
    if (!parts_.tags.empty()) own_options.solver = GraphSolver::belief_propagation;  // it sums over tags
    const PartGraph graph(parts_, arc_scores, shape_for_best(own_options), options_.kind, scale_);
    laps.end(&StageTimes::graphs);
    const Outcome outcome = solve(graph, own_options);
    if (outcome.infeasible) throw Infeasible("no tree is possible");
    keep_tags(graph, outcome);
    result.value = outcome.value;
    result.upper_bound = outcome.upper_bound;
    if (!outcome.assignment.empty() && options_.graph.constraint == TreeConstraint::tree)
        return graph.read_heads(outcome.assignment, result.heads);
    // Not a tree, perhaps: the one that has the most of it.
    thread_local std::vector<double> own, table;
    double bonus = 1;
    for (double score : arc_scores)
        if (score != impossible) bonus = std::max(bonus, 2 * std::abs(score));
    own = arc_scores;
    for (std::size_t a = 0; a < own.size(); ++a) own[a] += bonus * outcome.beliefs[a];
    fill_table(candidates, own, table);
    TreeRef tree{result.heads, nullptr, 0};
    arbora::find_best({table.data(), parts_.arcs.n(), 0}, options_.kind, tree);
    if (parts_.tags.empty()) result.value = graph.value_of_tree(result.heads, arena_);
}

void ByGraph::keep_tags(const PartGraph& graph, const Outcome& outcome) {
    if (!parts_.tags.empty())
        tag_beliefs_.assign(outcome.beliefs.begin() + graph.graph().slots(), outcome.beliefs.end());
}

void ByGraph::read_tags(const Prepared& prepared, ParseRef& result) const {
    for (int word = 1; word <= prepared.n(); ++word) {
        const double* own = tag_beliefs_.data() + parts_.tags.begins[word - 1];
        const auto best = std::max_element(own, own + parts_.tags.count(word)) - own;
        const auto listed = prepared.tags(word);
        result.tags[word] = listed.empty() ? static_cast<int>(best) : listed[best].tag;
        if (result.tag_probabilities) result.tag_probabilities[word] = own[best];
    }
}

// Chain and links of a tree's tags make circles, so their sum is that of Bethe.
double ByGraph::log_probability(const int* heads) {
    if (!parts_.tags.has_chain()) return sums_->value_of_tree(heads, arena_) - log_partition_;
    std::vector<double> own = arc_scores_;
    for (int a = 0; a < parts_.arcs.count(); ++a)
        if (parts_.arcs.arc(a).head != heads[parts_.arcs.arc(a).modifier]) own[a] = impossible;
    const PartGraph alone(parts_, own, shape_for_sums(), options_.kind, scale_);
    return sum(alone, options_.graph, false).log_partition - log_partition_;
}

GraphShape ByGraph::shape_for_sums() const { return {joins_for_sums(options_.graph), options_.graph.constraint}; }

}  // namespace arbora
