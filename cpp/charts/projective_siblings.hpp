#pragma once
#include <span>
#include <vector>

#include "charts/sibling_chart.hpp"
#include "support/random.hpp"
#include "trees/scores.hpp"

namespace arbora {

struct ScoredTree {
    Heads heads;
    double score;
};

// The projective trees of one sentence under scores of arcs and of bigrams of modifiers, which see the head's own head
// or do not: the best tree, the k best, sums over all. Scores of pairs g -> h -> m alone are those of bigrams that see
// g: all that go to m have the score of the pair. An object serves one sentence after the other, and keeps its memory.
//
// O(n^3), with grandparents O(n^4); SiblingChart says what that is with few arcs.
class ProjectiveSiblings {
public:
    // Throws std::invalid_argument for arcs out of order.
    void set_arcs(const ArcList& arcs, bool sees_grandparents) { chart_.build(arcs, sees_grandparents); }
    // How parts are numbered: as those of the factors ChildSequences and GrandSiblings over the same arcs.
    const SiblingChart& chart() const { return chart_; }

    // Finds the score of the best tree. Scores are of all arcs and of all parts; -inf is impossible. What is asked
    // below is about them. Throws std::invalid_argument if they are not as many.
    void set_scores(std::span<const double> arcs, std::span<const double> parts);

    // -inf if there is no tree; then nothing else may be asked for.
    double best_score() const { return best_values_[chart_.goal()]; }
    void best_tree(int* heads) const;

    // The k best trees in order, none twice; all trees if there are fewer.
    std::vector<ScoredTree> best_trees(int k) const;

    // The log-partition; the probabilities of all arcs and of all parts, unless null.
    double sum(double* arcs, double* parts);

    // The entropy of the distribution over trees.
    double entropy();
    // `count` independent trees, each with its probability.
    std::vector<Heads> samples(int count, Random& random);

private:
    double run_sums();

    SiblingChart chart_;
    std::vector<double> leaves_;  // of each part, its score, with that of the arc that it stands for
    std::vector<double> best_values_, sums_, probabilities_, shifted_, shifts_;
};

}  // namespace arbora
