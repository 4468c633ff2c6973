#include "factors/tree.hpp"

#include "factors/cuts.hpp"
#include "factors/tree_rows.hpp"
#include "trees/arc_odds.hpp"
#include "trees/mst.hpp"

namespace arbora {

double TreeFactor::log_odds(ArcScores scores, ScoreRange range, double* odds, Arena& arena) const {
    return arc_log_odds(scores, arcs().single_root(), range, odds, arena);
}

double TreeFactor::max_odds(ArcScores scores, double* odds, Arena& arena) const {
    return arc_max_odds(scores, arcs().single_root(), odds, arena);
}

bool TreeFactor::find_best(ArcScores scores, int* heads, Arena&) const {
    return find_best_tree(scores, arcs().single_root(), heads);
}

void TreeFactor::polytope(std::size_t, TreeRows tree_rows, Polytope& rows) const {
    add_tree_rows(arcs(), tree_rows, rows);
}

void TreeFactor::separate(std::size_t, const double* values, Polytope& rows) const {
    for (const std::vector<int>& entering : violated_cuts(arcs(), values)) {
        std::vector<Polytope::Term> terms;
        for (int port : entering) terms.emplace_back(port, 1.0);
        rows.add_row(1, Polytope::unbounded, terms);
    }
}

}  // namespace arbora
