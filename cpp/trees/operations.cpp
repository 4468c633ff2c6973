#include "trees/operations.hpp"

#include <algorithm>

#include "charts/projective.hpp"
#include "support/limits.hpp"
#include "support/random.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/mst.hpp"
#include "trees/sampling.hpp"

namespace arbora {
namespace {

ScoreRange check(SentenceScores sentence) { return check_scores(sentence.data, sentence.size()); }

LabelledScores labelled(SentenceScores sentence) { return {sentence.data, sentence.n, std::max(sentence.labels, 1)}; }

// The same for sums, in which scores must not be too large. The diagonal and column 0 are no arcs.
ScoreRange check_for_sums(SentenceScores sentence) {
    const ScoreRange range = check(sentence);
    if (!any_beyond(sentence.data, sentence.size(), score_limit)) return range;
    const LabelledScores scores = labelled(sentence);
    for (int h = 0; h <= sentence.n; ++h)
        for (int m = 1; m <= sentence.n; ++m)
            if (h != m && any_beyond(scores.cell(h, m), scores.labels, score_limit))
                throw InvalidScores("a score is beyond 1e10 or -1e10, too large for sums; use -inf to forbid an arc");
    return range;
}

// Arc scores: the sentence's own, or collapsed over labels into `space`.
template <class Collapse>
ArcScores arcs_of(SentenceScores sentence, std::vector<double>& space, Collapse collapse) {
    if (!sentence.labels) return {sentence.data, sentence.n};
    space.resize(static_cast<std::size_t>(sentence.n + 1) * (sentence.n + 1));
    collapse(labelled(sentence), space.data());
    return {space.data(), sentence.n};
}

void best_of_kind(ArcScores scores, TreeKind kind, int* heads) {
    if (kind.projective)
        best_projective_tree(scores, kind.single_root, heads);
    else
        best_tree(scores, kind.single_root, heads);
}

// Returns the log-partition.
double marginals_of_kind(ArcScores scores, TreeKind kind, ScoreRange range, double* marginals) {
    return kind.projective ? projective_marginals(scores, kind.single_root, marginals)
                           : arc_marginals(scores, kind.single_root, range, marginals);
}

void set_labels(SentenceScores sentence, TreeRef& tree) {
    if (!tree.labels) return;
    tree.labels[0] = -1;
    for (int m = 1; m <= sentence.n; ++m)
        tree.labels[m] = best_label(labelled(sentence).cell(tree.heads[m], m), sentence.labels);
}

}  // namespace

void find_best(SentenceScores sentence, TreeKind kind, TreeRef& tree) {
    check(sentence);
    thread_local std::vector<double> space;
    const ArcScores arcs = arcs_of(sentence, space, max_over_labels);
    best_of_kind(arcs, kind, tree.heads);
    tree.score = tree_score(arcs, tree.heads);
    set_labels(sentence, tree);
}

void find_least_risk(SentenceScores sentence, TreeKind kind, bool count_labels, TreeRef& tree) {
    const ScoreRange range = check_for_sums(sentence);
    std::vector<double> space;
    const ArcScores arcs = arcs_of(sentence, space, sum_over_labels);
    std::vector<double> marginals(static_cast<std::size_t>(arcs.width()) * arcs.width());
    marginals_of_kind(arcs, kind, range, marginals.data());
    for (std::size_t c = 0; c < marginals.size(); ++c) {
        if (arcs.data[c] == impossible) {
            marginals[c] = impossible;
        } else if (sentence.labels && count_labels) {
            const double* cell = sentence.data + c * sentence.labels;
            marginals[c] *= std::exp(*std::max_element(cell, cell + sentence.labels) - arcs.data[c]);
        }
    }
    const ArcScores gains{marginals.data(), sentence.n};
    best_of_kind(gains, kind, tree.heads);
    tree.score = tree_score(gains, tree.heads);
    set_labels(sentence, tree);
}

double find_log_partition(SentenceScores sentence, TreeKind kind) {
    const ScoreRange range = check_for_sums(sentence);
    thread_local std::vector<double> space;
    const ArcScores arcs = arcs_of(sentence, space, sum_over_labels);
    return kind.projective ? projective_log_partition(arcs, kind.single_root)
                           : log_partition(arcs, kind.single_root, range);
}

double find_marginals(SentenceScores sentence, TreeKind kind, bool complement, double* result) {
    const ScoreRange range = check_for_sums(sentence);
    std::vector<double> space;
    const ArcScores arcs = arcs_of(sentence, space, sum_over_labels);
    if (!sentence.labels) {
        const double total = marginals_of_kind(arcs, kind, range, result);
        if (complement) complement_columns(result, sentence.n);
        return total;
    }
    std::vector<double> marginals(space.size());
    const double total = marginals_of_kind(arcs, kind, range, marginals.data());
    if (!complement) {
        share_among_labels(labelled(sentence), arcs.data, marginals.data(), result);
        return total;
    }
    std::vector<double> complements = marginals;
    complement_columns(complements.data(), sentence.n);
    complement_among_labels(labelled(sentence), arcs.data, marginals.data(), complements.data(), result);
    return total;
}

// The trees' entropy and, by the chain rule, that of their labels.
double find_entropy(SentenceScores sentence, TreeKind kind) {
    const ScoreRange range = check_for_sums(sentence);
    std::vector<double> space;
    const ArcScores arcs = arcs_of(sentence, space, sum_over_labels);
    double entropy =
        kind.projective ? projective_entropy(arcs, kind.single_root) : tree_entropy(arcs, kind.single_root, range);
    if (!sentence.labels) return entropy;
    std::vector<double> marginals(space.size());
    marginals_of_kind(arcs, kind, range, marginals.data());
    for (std::size_t c = 0; c < marginals.size(); ++c)
        if (marginals[c] > 0)
            entropy += marginals[c] * label_entropy(sentence.data + c * sentence.labels, sentence.labels, arcs.data[c]);
    return entropy;
}

std::vector<LabelledTree> find_kbest(SentenceScores sentence, TreeKind kind, int k) {
    check(sentence);
    return kind.projective ? best_projective_trees(labelled(sentence), kind.single_root, k)
                           : best_trees(labelled(sentence), kind.single_root, k);
}

std::vector<LabelledTree> draw_samples(SentenceScores sentence, TreeKind kind, int count, std::uint64_t seed,
                                       std::uint64_t stream) {
    const ScoreRange range = check_for_sums(sentence);
    Random random(seed, stream);
    std::vector<double> space;
    const ArcScores arcs = arcs_of(sentence, space, sum_over_labels);
    const auto drawn = kind.projective ? sample_projective_trees(arcs, kind.single_root, count, random)
                                       : sample_trees(arcs, kind.single_root, range, count, random);
    std::vector<LabelledTree> trees;
    for (const Heads& heads : drawn) {
        LabelledTree tree{heads, std::vector<int>(heads.size(), -1), 0};
        for (int m = 1; m <= sentence.n; ++m)
            tree.labels[m] = sentence.labels ? sample_label(labelled(sentence).cell(heads[m], m), sentence.labels,
                                                            arcs(heads[m], m), random)
                                             : 0;
        tree.score = tree_score(labelled(sentence), tree);
        trees.push_back(std::move(tree));
    }
    return trees;
}

}  // namespace arbora
