#include "parsing/losses.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "charts/projective.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/mst.hpp"

namespace arbora {
namespace {

double total_and_marginals(ArcScores table, TreeKind kind, double* marginals) {
    if (kind.projective) return projective_marginals(table, kind.single_root, marginals);
    const ScoreRange range = check_scores(table.data, static_cast<std::size_t>(table.width()) * table.width());
    return arc_marginals(table, kind.single_root, range, marginals);
}

// Fills `result` with the probabilities of arcs (and labels); returns the log-partition.
double sum_expectations(const Candidates& potentials, TreeKind kind, std::vector<double>& result) {
    thread_local std::vector<double> arcs, table, marginals;
    collapse(potentials, Collapse::sum, arcs);
    fill_table(potentials, arcs, table);
    marginals.resize(table.size());
    const double total = total_and_marginals({table.data(), potentials.n}, kind, marginals.data());
    for (std::size_t a = 0; a < arcs.size(); ++a) {
        const double p = marginals[potentials.cell(a)];
        if (!potentials.labels) {
            result[a] = p;
            continue;
        }
        for (int l = 0; l < potentials.labels; ++l) {
            const std::size_t at = a * potentials.labels + l;
            result[at] = p == 0 ? 0 : p * std::exp(potentials.scores[at] - arcs[a]);
        }
    }
    return total;
}

// Fills `result` with 1 for the parts of the best tree; returns its score.
double best_expectations(const Candidates& potentials, TreeKind kind, std::vector<double>& result) {
    thread_local std::vector<double> arcs, table;
    thread_local std::vector<int> heads;
    collapse(potentials, Collapse::best, arcs);
    fill_table(potentials, arcs, table);
    heads.resize(potentials.n + 1);
    TreeRef tree{heads.data(), nullptr, 0};
    find_best({table.data(), potentials.n, 0}, kind, tree);
    std::fill(result.begin(), result.end(), 0.0);
    for (int m = 1; m <= potentials.n; ++m) {
        const std::size_t a = potentials.find(heads[m], m);
        const double* row = potentials.scores.data() + a * potentials.per_arc();
        result[a * potentials.per_arc() + (std::max_element(row, row + potentials.per_arc()) - row)] = 1;
    }
    return tree.score;
}

}  // namespace

void Potentials::set(const Candidates& given, GoldTree tree, LossFamily family) {
    beta = std::isinf(family.beta) ? 1 : family.beta;
    candidates = given;
    for (double& score : candidates.scores) score = beta * (score + family.gamma);
    right.clear();
    gold = 0;
    const auto is_hidden = [&](int m) { return given.labels && (!tree.labels || tree.labels[m] < 0); };
    is_latent = tree.is_partial(given.n);
    for (int m = 1; m <= given.n && std::isinf(family.beta); ++m) is_latent |= is_hidden(m);
    if (is_latent) return set_latent(given, tree);
    for (int m = 1; m <= given.n; ++m) {
        const std::size_t arc = given.find(tree.heads[m], m);
        if (arc == given.arcs.size()) throw Infeasible("the gold tree has an arc that is no candidate");
        const std::size_t first = arc * given.per_arc() + (given.labels && !is_hidden(m) ? tree.labels[m] : 0);
        const int count = is_hidden(m) ? given.labels : 1;
        for (std::size_t at = first; at < first + count; ++at)
            candidates.scores[at] = beta * given.scores[at];  // no cost
        if (is_hidden(m)) {
            add_hidden(candidates.scores.data(), first, count);
        } else {
            gold += given.scores[first];
            right.push_back({first, 1});
        }
    }
}

// What agrees with what is known of its word costs nothing, and is all that there is of `agreeing`.
void Potentials::set_latent(const Candidates& given, GoldTree tree) {
    agreeing = given;
    const int per_arc = given.per_arc();
    for (std::size_t a = 0; a < given.arcs.size(); ++a) {
        const auto [head, m] = given.arcs[a];
        const int label = given.labels && tree.labels ? tree.labels[m] : -1;
        for (int l = 0; l < per_arc; ++l) {
            const std::size_t at = a * per_arc + l;
            const bool agrees = (tree.heads[m] < 0 || tree.heads[m] == head) && (label < 0 || label == l);
            if (agrees) candidates.scores[at] = beta * given.scores[at];
            agreeing.scores[at] = agrees ? candidates.scores[at] : impossible;
        }
    }
}

void complete_tree(const Candidates& agreeing, const std::vector<double>& shares, TreeKind kind,
                   std::vector<int>& heads) {
    const int per_arc = agreeing.per_arc();
    std::vector<double> arcs(agreeing.arcs.size(), impossible), table;
    for (std::size_t at = 0; at < agreeing.scores.size(); ++at)
        if (double& own = arcs[at / per_arc]; agreeing.scores[at] != impossible)
            own = (own == impossible ? 0 : own) + shares[at];
    fill_table(agreeing, arcs, table);
    heads.resize(agreeing.n + 1);
    TreeRef tree{heads.data(), nullptr, 0};
    find_best({table.data(), agreeing.n, 0}, kind, tree);
}

// P(label | gold arc), and the sum over labels: `scores` are multiplied by beta already.
void Potentials::add_hidden(const double* scores, std::size_t first, int count) {
    const double top = *std::max_element(scores + first, scores + first + count);
    if (top == impossible) throw Infeasible("a gold arc has no possible label");
    double sum = 0;
    for (int l = 0; l < count; ++l) sum += std::exp(scores[first + l] - top);
    for (int l = 0; l < count; ++l) right.push_back({first + l, std::exp(scores[first + l] - top) / sum});
    gold += (top + std::log(sum)) / beta;
}

double tree_loss(const Candidates& candidates, GoldTree gold, LossFamily family, TreeKind kind,
                 std::vector<double>& gradient, std::vector<int>* completed) {
    thread_local Potentials p;
    thread_local std::vector<double> agreeing;
    p.set(candidates, gold, family);
    const auto expect = std::isinf(family.beta) ? best_expectations : sum_expectations;
    gradient.resize(candidates.scores.size());
    const double total = expect(p.candidates, kind, gradient);
    if (!p.is_latent) {
        for (const auto& [at, probability] : p.right) gradient[at] -= probability;
        return total / p.beta - p.gold;
    }
    agreeing.resize(gradient.size());
    const double own = expect(p.agreeing, kind, agreeing);
    for (std::size_t at = 0; at < agreeing.size(); ++at) gradient[at] -= agreeing[at];
    if (completed) complete_tree(p.agreeing, agreeing, kind, *completed);
    return (total - own) / p.beta;
}

namespace {

// Adds `by` for every part of a labelling.
void count_parts(const LabelChain& chain, const int* chosen, double by, double* unary, double* siblings) {
    const int labels = chain.labels, states = chain.states();
    for (int i = 0; i < chain.count; ++i) {
        unary[static_cast<std::size_t>(i) * labels + chosen[i]] += by;
        if (!siblings) continue;
        siblings[static_cast<std::size_t>(i ? chosen[i - 1] : labels) * states + chosen[i]] += by;
        if (i + 1 == chain.count) siblings[static_cast<std::size_t>(chosen[i]) * states + labels] += by;
    }
}

// Fills `unary` with the probabilities of labels, or with 1 for those of the best labelling, and adds those of neighbours
// to `siblings`; returns the log of the sum, or the best score.
double expect_labels(const LabelChain& potentials, bool best, double* unary, double* siblings) {
    if (!best) return sum_chain(potentials, unary, siblings);
    std::vector<int> found(potentials.count);
    const double total = best_chain(potentials, found.data());
    std::fill(unary, unary + static_cast<std::size_t>(potentials.count) * potentials.labels, 0.0);
    count_parts(potentials, found.data(), 1, unary, siblings);
    return total;
}

// Takes what is expected of the labels that agree with those that are known from a gradient; returns as the former. `unary`
// are the potentials' own.
double subtract_agreeing(const LabelChain& potentials, const int* gold, bool best, std::vector<double>& unary,
                         double* unary_gradient, double* sibling_gradient) {
    const int labels = potentials.labels;
    const std::size_t states = potentials.states();
    for (int i = 0; i < potentials.count; ++i)
        for (int l = 0; l < labels; ++l)
            if (gold[i] >= 0 && gold[i] != l) unary[static_cast<std::size_t>(i) * labels + l] = impossible;
    std::vector<double> of_labels(unary.size()), of_siblings(sibling_gradient ? states * states : 0);
    const double total =
        expect_labels(potentials, best, of_labels.data(), sibling_gradient ? of_siblings.data() : nullptr);
    for (std::size_t at = 0; at < of_labels.size(); ++at) unary_gradient[at] -= of_labels[at];
    for (std::size_t at = 0; at < of_siblings.size(); ++at) sibling_gradient[at] -= of_siblings[at];
    return total;
}

}  // namespace

double chain_loss(const LabelChain& chain, const int* gold, LossFamily family, double* unary_gradient,
                  double* sibling_gradient) {
    const int labels = chain.labels, states = chain.states();
    const bool best = std::isinf(family.beta);
    const double beta = best ? 1 : family.beta;
    thread_local std::vector<double> unary, siblings;
    unary.resize(static_cast<std::size_t>(chain.count) * labels);
    for (int i = 0; i < chain.count; ++i)
        for (int l = 0; l < labels; ++l)
            unary[static_cast<std::size_t>(i) * labels + l] =
                beta * (chain.unary_at(i, l) + (l == gold[i] || gold[i] < 0 ? 0 : family.gamma));
    LabelChain potentials{unary.data(), nullptr, chain.count, labels};
    if (chain.siblings) {
        siblings.assign(chain.siblings, chain.siblings + static_cast<std::size_t>(states) * states);
        if (beta != 1)
            for (double& score : siblings) score *= beta;
        potentials.siblings = siblings.data();
    }
    const double total = expect_labels(potentials, best, unary_gradient, sibling_gradient);
    if (std::any_of(gold, gold + chain.count, [](int label) { return label < 0; }))
        return (total - subtract_agreeing(potentials, gold, best, unary, unary_gradient, sibling_gradient)) / beta;
    count_parts(chain, gold, -1, unary_gradient, sibling_gradient);
    return total / beta - chain_score(chain, gold);
}

}  // namespace arbora
