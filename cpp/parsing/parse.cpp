#include "parsing/parse.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linear/label_chains.hpp"

namespace arbora {
namespace {

// Labels that are seen at the root only, or never there, say something about the head.
struct Implied {
    std::vector<int> heads;
    std::vector<char> not_root;

    Given add_to(Given given, const FirstOrder& model, int n) {
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

// Leaves a known label the only one; on an arc that the training data never had it on, it counts 0.
void keep_label(double* scores, int labels, int known) {
    const double own = scores[known] == impossible ? 0 : scores[known];
    std::fill(scores, scores + labels, impossible);
    scores[known] = own;
}

void choose_candidates(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, TreeKind kind,
                       Prepared& prepared, Candidates& candidates) {
    prepared.set(parser.templates, encoded, sentence, ~0u);
    candidates.n = prepared.n();
    candidates.arcs = parser.pruner.choose(prepared, parser.pruner_weights, given, kind, nullptr);
}

// Chosen and scored candidates, without labels that contradict what is given.
void score_candidates(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given, TreeKind kind,
                      Prepared& prepared, FirstOrder::Workspace& space, Candidates& candidates) {
    choose_candidates(parser, encoded, sentence, given, kind, prepared, candidates);
    parser.model.score(prepared, parser.weights, space, candidates);
    if (!candidates.labels || !given.labels) return;
    for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
        const int known = given.labels[candidates.arcs[a].modifier];
        if (known < 0) continue;
        keep_label(candidates.scores.data() + a * candidates.labels, candidates.labels, known);
    }
}

struct Chains {
    std::vector<double> unary, siblings, probabilities;

    LabelChain set(const Parser& parser, const Prepared& prepared, FirstOrder::Workspace& space,
                   const FirstOrder::Family& family, Given given) {
        parser.model.score_family(prepared, parser.weights, space, family, unary, siblings);
        const int labels = parser.model.labels(), count = static_cast<int>(family.modifiers.size());
        for (int i = 0; given.labels && i < count; ++i) {
            const int known = given.labels[family.modifiers[i]];
            if (known < 0) continue;
            keep_label(unary.data() + static_cast<std::size_t>(i) * labels, labels, known);
        }
        return {unary.data(), siblings.empty() ? nullptr : siblings.data(), count, labels};
    }
};

// Labels for the heads of `result`; returns the log-probability of the labels given the heads, if it is asked for.
double label_in_second_stage(const Parser& parser, const Prepared& prepared, FirstOrder::Workspace& space,
                             Given given, bool probabilities, ParseRef& result) {
    thread_local Chains chains;
    thread_local std::vector<int> found;
    double log_probability = 0;
    for (const auto& family : FirstOrder::families(result.heads, prepared.n())) {
        const LabelChain chain = chains.set(parser, prepared, space, family, given);
        found.resize(chain.count);
        log_probability += best_chain(chain, found.data());
        for (int i = 0; i < chain.count; ++i) result.labels[family.modifiers[i]] = found[i];
        if (!probabilities) continue;
        chains.probabilities.resize(chains.unary.size());
        log_probability -= sum_chain(chain, chains.probabilities.data(), nullptr);
        for (int i = 0; i < chain.count; ++i)
            result.label_probabilities[family.modifiers[i]] =
                chains.probabilities[static_cast<std::size_t>(i) * chain.labels + found[i]];
    }
    return log_probability;
}

// In a joint model, the best label of each arc; returns the log-probability of the labels given the heads, if there are
// sums to divide by.
double label_jointly(const FirstOrder& model, const Candidates& candidates, const FirstOrder::Workspace& space,
                     const FirstOrder::ByArc& scores, Given given, bool probabilities, ParseRef& result) {
    double log_probability = 0;
    for (int m = 1; m <= candidates.n; ++m) {
        const std::size_t a = candidates.find(result.heads[m], m);
        const int known = given.labels ? given.labels[m] : -1;
        result.labels[m] = known >= 0 ? known : model.best_label(space, a);
        if (!probabilities) continue;
        const double log_of_label = scores.best[a] - scores.sums[a];
        result.label_probabilities[m] = std::exp(log_of_label);
        log_probability += log_of_label;
    }
    return log_probability;
}

// What a model with parts of several arcs says, by solvers on a graph.
class ByGraph {
public:
    ByGraph(const Parser& parser, const Prepared& prepared, const std::vector<Arc>& arcs, const ParseOptions& options)
        : options_(options), scale_(parser.model.tree_scale()) {
        parser.higher.score(prepared, parser.weights, arcs, parts_);
    }

    // Probabilities of arcs, by belief propagation, into a table.
    void find_marginals(const std::vector<double>& arc_scores, std::vector<double>& table) {
        sums_.emplace(parts_, arc_scores, GraphShape{false, options_.graph.constraint}, options_.kind.single_root,
                      options_.kind.projective, scale_);
        GraphOptions own = options_.graph;
        own.solver = GraphSolver::belief_propagation;
        const Outcome outcome = solve(*sums_, own);
        if (outcome.infeasible) throw Infeasible("no tree is possible");
        log_partition_ = outcome.log_partition;
        const std::size_t width = parts_.arcs.n() + 1;
        table.assign(width * width, 0.0);
        for (int a = 0; a < parts_.arcs.count(); ++a)
            table[parts_.arcs.arc(a).head * width + parts_.arcs.arc(a).modifier] = outcome.beliefs[a];
    }
    // By Bethe's log-partition, which is an approximation.
    double log_probability(const int* heads) { return sums_->value_of_tree(heads, arena_) - log_partition_; }

    void find_best(const std::vector<double>& arc_scores, const Candidates& candidates, ParseRef& result) {
        const PartGraph graph(parts_, arc_scores, {true, options_.graph.constraint}, options_.kind.single_root,
                              options_.kind.projective, scale_);
        const Outcome outcome = solve(graph, options_.graph);
        if (outcome.infeasible) throw Infeasible("no tree is possible");
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
    }

private:
    const ParseOptions& options_;
    double scale_, log_partition_ = 0;
    SentenceParts parts_;
    std::optional<PartGraph> sums_;
    Arena arena_;
};

void parse_given(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given,
                 const ParseOptions& options, ParseRef& result) {
    const int n = encoded.length(sentence), width = n + 1;
    thread_local Prepared prepared;
    thread_local FirstOrder::Workspace space;
    thread_local Candidates candidates;
    thread_local FirstOrder::ByArc scores;
    thread_local std::vector<double> table, marginals, gains;
    const bool sums = options.probabilities || options.decoder == Decoder::least_risk;
    choose_candidates(parser, encoded, sentence, given, options.kind, prepared, candidates);
    parser.model.score_by_arc(prepared, parser.weights, candidates.arcs, given.labels, sums, space, scores);
    std::optional<ByGraph> graph;
    if (parser.higher.is_active()) graph.emplace(parser, prepared, candidates.arcs, options);
    TreeRef tree{result.heads, nullptr, 0};
    if (sums) {
        fill_table(candidates, scores.sums, table);
        marginals.resize(table.size());
        if (graph)
            graph->find_marginals(scores.sums, marginals);
        else
            find_marginals({table.data(), n, 0}, options.kind, false, marginals.data());
    }
    if (options.decoder == Decoder::least_risk) {
        gains.assign(table.size(), impossible);
        for (std::size_t a = 0; a < candidates.arcs.size(); ++a) {
            if (scores.sums[a] == impossible) continue;
            const std::size_t cell = candidates.cell(a);
            gains[cell] = marginals[cell];
            if (!parser.model.has_labeler()) gains[cell] *= std::exp(scores.best[a] - scores.sums[a]);
        }
        find_best({gains.data(), n, 0}, options.kind, tree);
    } else if (graph) {
        graph->find_best(scores.best, candidates, result);
    } else {
        fill_table(candidates, scores.best, gains);
        find_best({gains.data(), n, 0}, options.kind, tree);
    }
    if (options.probabilities) {
        for (int m = 1; m <= n; ++m)
            result.head_probabilities[m] = marginals[static_cast<std::size_t>(result.heads[m]) * width + m];
        if (graph) {
            result.log_probability = graph->log_probability(result.heads);
        } else {
            result.log_probability = -find_log_partition({table.data(), n, 0}, options.kind);
            for (int m = 1; m <= n; ++m)
                result.log_probability += table[static_cast<std::size_t>(result.heads[m]) * width + m];
        }
    }
    if (!parser.model.has_labeler()) {
        result.log_probability +=
            label_jointly(parser.model, candidates, space, scores, given, options.probabilities, result);
        return;
    }
    prepared.set_tree(parser.templates, encoded, sentence, result.heads);
    result.log_probability += label_in_second_stage(parser, prepared, space, given, options.probabilities, result);
}

std::vector<LabelledTree> kbest_given(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given,
                                      TreeKind kind, int k) {
    Prepared prepared;
    FirstOrder::Workspace space;
    Candidates candidates;
    score_candidates(parser, encoded, sentence, given, kind, prepared, space, candidates);
    const int n = candidates.n;
    std::vector<double> arcs, table;
    collapse(candidates, Collapse::sum, arcs);
    fill_table(candidates, arcs, table);
    const double total = find_log_partition({table.data(), n, 0}, kind);
    if (!parser.model.has_labeler()) {
        std::vector<double> labelled(table.size() * candidates.labels, impossible);
        for (std::size_t a = 0; a < candidates.arcs.size(); ++a)
            std::copy_n(candidates.scores.data() + a * candidates.labels, candidates.labels,
                        labelled.data() + candidates.cell(a) * candidates.labels);
        std::vector<LabelledTree> trees = find_kbest({labelled.data(), n, candidates.labels}, kind, k);
        for (LabelledTree& tree : trees) tree.score -= total;
        return trees;
    }
    // Trees come in the order of their own probability, which bounds that of their labellings: once the k-th labelled
    // tree is at least as probable as the next tree, no tree to come can matter. Where labels are far less sure than
    // trees that may take exponentially many trees, so there is an end to them.
    const int most_trees = std::max(256, 16 * std::min(k, 1 << 26));
    std::vector<LabelledTree> found;
    const auto better = [](const auto& a, const auto& b) { return a.score > b.score; };
    const auto keep_best = [&](auto& all) {
        std::stable_sort(all.begin(), all.end(), better);
        if (static_cast<int>(all.size()) > k) all.resize(k);
    };
    std::size_t seen = 0;
    Chains chains;
    for (int wanted = k;; wanted = std::min(2 * wanted, most_trees)) {
        const std::vector<LabelledTree> trees = find_kbest({table.data(), n, 0}, kind, wanted);
        for (; seen < trees.size(); ++seen) {
            const double own = trees[seen].score - total;
            if (static_cast<int>(found.size()) == k && found.back().score >= own) return found;
            prepared.set_tree(parser.templates, encoded, sentence, trees[seen].heads.data());
            std::vector<ChainLabels> labellings{{std::vector<int>(n + 1, -1), own}};
            for (const auto& family : FirstOrder::families(trees[seen].heads.data(), n)) {
                const LabelChain chain = chains.set(parser, prepared, space, family, given);
                chains.probabilities.resize(chains.unary.size());
                const double of_family = sum_chain(chain, chains.probabilities.data(), nullptr);
                std::vector<ChainLabels> joined;
                for (const ChainLabels& labels : best_chains(chain, k))
                    for (const ChainLabels& before : labellings) {
                        joined.push_back({before.labels, before.score + labels.score - of_family});
                        for (int i = 0; i < chain.count; ++i)
                            joined.back().labels[family.modifiers[i]] = labels.labels[i];
                    }
                keep_best(joined);
                labellings = std::move(joined);
            }
            for (ChainLabels& labels : labellings)
                found.push_back({trees[seen].heads, std::move(labels.labels), labels.score});
            keep_best(found);
        }
        if (static_cast<int>(trees.size()) < wanted || wanted >= most_trees) return found;
    }
}

}  // namespace

void parse(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given,
           const ParseOptions& options, ParseRef& result) {
    result.log_probability = 0;
    const int n = encoded.length(sentence);
    if (n == 0) return;
    with_implied(given, parser.model, n,
                 [&](Given given) { parse_given(parser, encoded, sentence, given, options, result); });
}

std::vector<LabelledTree> parse_kbest(const Parser& parser, const Encoded& encoded, std::size_t sentence, Given given,
                                      TreeKind kind, int k) {
    const int n = encoded.length(sentence);
    if (n == 0) return {{Heads{-1}, {-1}, 0.0}};
    return with_implied(given, parser.model, n,
                        [&](Given given) { return kbest_given(parser, encoded, sentence, given, kind, k); });
}

}  // namespace arbora
