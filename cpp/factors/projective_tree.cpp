#include "factors/projective_tree.hpp"

#include <algorithm>

#include "charts/projective_odds.hpp"
#include "factors/tree_rows.hpp"

namespace arbora {

double ProjectiveTreeFactor::log_odds(ArcScores scores, ScoreRange, double* odds, Arena& arena) const {
    return projective_log_odds(scores, arcs().single_root(), odds, arena);
}

double ProjectiveTreeFactor::max_odds(ArcScores scores, double* odds, Arena& arena) const {
    return projective_max_odds(scores, arcs().single_root(), odds, arena);
}

bool ProjectiveTreeFactor::find_best(ArcScores scores, int* heads, Arena& arena) const {
    return find_best_projective_tree(scores, arcs().single_root(), heads, arena);
}

void ProjectiveTreeFactor::polytope(std::size_t, TreeRows, Polytope& rows) const { add_projective_rows(arcs(), rows); }

bool ProjectiveTreeFactor::counts(const int* heads) const {
    for (int m = 1; m <= arcs().words(); ++m)
        for (int k = 1; k <= arcs().words(); ++k) {
            const auto [a, b] = std::minmax(m, heads[m]);
            const auto [c, d] = std::minmax(k, heads[k]);
            if (a < c && c < b && b < d) return false;
        }
    return true;
}

}  // namespace arbora
