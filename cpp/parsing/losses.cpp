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
    for (int m = 1; m <= given.n; ++m) {
        const std::size_t arc = given.find(tree.heads[m], m);
        if (arc == given.arcs.size()) throw Infeasible("the gold tree has an arc that is no candidate");
        const int observed = !given.labels ? 0 : tree.labels ? tree.labels[m] : -1;
        const std::size_t first = arc * given.per_arc() + std::max(observed, 0);
        const int count = observed < 0 ? given.labels : 1;
        for (std::size_t at = first; at < first + count; ++at)
            candidates.scores[at] = beta * given.scores[at];  // no cost
        if (observed < 0) {
            add_hidden(candidates.scores.data(), first, count);
        } else {
            gold += given.scores[first];
            right.push_back({first, 1});
        }
    }
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
                 std::vector<double>& gradient) {
    thread_local Potentials p;
    p.set(candidates, gold, family);
    gradient.resize(candidates.scores.size());
    const double total = std::isinf(family.beta) ? best_expectations(p.candidates, kind, gradient)
                                                 : sum_expectations(p.candidates, kind, gradient);
    for (const auto& [at, probability] : p.right) gradient[at] -= probability;
    return total / p.beta - p.gold;
}

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
                beta * (chain.unary_at(i, l) + (l == gold[i] ? 0 : family.gamma));
    LabelChain potentials{unary.data(), nullptr, chain.count, labels};
    if (chain.siblings) {
        siblings.assign(chain.siblings, chain.siblings + static_cast<std::size_t>(states) * states);
        if (beta != 1)
            for (double& score : siblings) score *= beta;
        potentials.siblings = siblings.data();
    }
    auto count = [&](const int* chosen, double by) {  // adds `by` for every part of a labelling
        for (int i = 0; i < chain.count; ++i) {
            unary_gradient[static_cast<std::size_t>(i) * labels + chosen[i]] += by;
            if (!sibling_gradient) continue;
            sibling_gradient[static_cast<std::size_t>(i ? chosen[i - 1] : labels) * states + chosen[i]] += by;
            if (i + 1 == chain.count) sibling_gradient[static_cast<std::size_t>(chosen[i]) * states + labels] += by;
        }
    };
    double total;
    if (best) {
        std::vector<int> found(chain.count);
        total = best_chain(potentials, found.data());
        std::fill(unary_gradient, unary_gradient + unary.size(), 0.0);
        count(found.data(), 1);
    } else {
        total = sum_chain(potentials, unary_gradient, sibling_gradient);
    }
    count(gold, -1);
    return total / beta - chain_score(chain, gold);
}

}  // namespace arbora
