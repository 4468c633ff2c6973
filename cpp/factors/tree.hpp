#pragma once
#include "factors/any_tree.hpp"

namespace arbora {

// One factor: its true inputs are the arcs of a tree over the words of a sentence. `sum` and `max` take O(n^3), by
// elimination; `best` O(n^2). Its rows are the convex hull with TreeRows::multi_commodity, and with heads_only together
// with all that `separate` adds.
class TreeFactor final : public AnyTreeFactor {
public:
    TreeFactor(Wiring wiring, CandidateArcs arcs) : AnyTreeFactor("Tree", std::move(wiring), std::move(arcs)) {}

    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    void separate(std::size_t factor, const double* values, Polytope& rows) const override;

private:
    double log_odds(ArcScores scores, ScoreRange range, double* odds, Arena& arena) const override;
    double max_odds(ArcScores scores, double* odds, Arena& arena) const override;
    bool find_best(ArcScores scores, int* heads, Arena& arena) const override;
    bool counts(const int*) const override { return true; }
};

}  // namespace arbora
