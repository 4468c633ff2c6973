#pragma once
#include "factors/any_tree.hpp"

namespace arbora {

// One factor: its true inputs are the arcs of a tree that has no crossing arcs, drawn above the sentence with the root
// before it. `sum`, `max` and `best` take O(n^3), by Eisner's chart; its rows are always the convex hull.
class ProjectiveTreeFactor final : public AnyTreeFactor {
public:
    ProjectiveTreeFactor(Wiring wiring, CandidateArcs arcs)
        : AnyTreeFactor("ProjectiveTree", std::move(wiring), std::move(arcs)) {}

    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;

private:
    double log_odds(ArcScores scores, ScoreRange range, double* odds, Arena& arena) const override;
    double max_odds(ArcScores scores, double* odds, Arena& arena) const override;
    bool find_best(ArcScores scores, int* heads, Arena& arena) const override;
    bool counts(const int* heads) const override;
};

}  // namespace arbora
