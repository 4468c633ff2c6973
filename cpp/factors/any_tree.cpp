#include "factors/any_tree.hpp"

#include "trees/mst.hpp"

namespace arbora {

AnyTreeFactor::AnyTreeFactor(std::string kind, Wiring wiring, CandidateArcs arcs)
    : HardFactor(std::move(kind), std::move(wiring)), arcs_(std::move(arcs)) {
    if (size() != 1 || ports(0) != arcs_.count())
        throw std::invalid_argument("there must be one variable for each arc");
}

template <class Odds>
double AnyTreeFactor::beliefs_by(Odds odds_of, const double* in, double* beliefs, Arena& arena) const {
    const Arena::Frame frame(arena);
    double *scores = arena.take<double>(arcs_.cells()), *odds = arena.take<double>(arcs_.cells());
    ScoreRange range;
    if (!arcs_.fill_scores(in, scores, range)) return nothing(0, beliefs);
    const double value = odds_of(ArcScores{scores, arcs_.words()}, range, odds);
    if (value == impossible) return nothing(0, beliefs);
    arcs_.read_odds(odds, beliefs);
    return value;
}

double AnyTreeFactor::sum(std::size_t, const double* in, double* beliefs, double*, Arena& arena) const {
    return beliefs_by(
        [&](ArcScores scores, ScoreRange range, double* odds) { return log_odds(scores, range, odds, arena); }, in,
        beliefs, arena);
}

double AnyTreeFactor::max(std::size_t, const double* in, double* beliefs, Arena& arena) const {
    return beliefs_by([&](ArcScores scores, ScoreRange, double* odds) { return max_odds(scores, odds, arena); }, in,
                      beliefs, arena);
}

double AnyTreeFactor::best(std::size_t, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    double* table = arena.take<double>(arcs_.cells());
    int* heads = arena.take<int>(arcs_.words() + 1);
    ScoreRange range;
    found.active.clear();
    found.inner = 0;
    if (!arcs_.fill_scores(in, table, range)) return impossible;
    const ArcScores scores{table, arcs_.words()};
    if (!find_best(scores, heads, arena)) return impossible;
    arcs_.active_ports(heads, found.active);
    return tree_score(scores, heads);
}

double AnyTreeFactor::score(std::size_t, std::span<const int> active, Arena& arena) const {
    const Arena::Frame frame(arena);
    const int words = arcs_.words();
    int *heads = arena.take<int>(words + 1), *mark = arena.take<int>(words + 1);
    const bool is_one =
        arcs_.heads_of(active, heads) && is_tree(heads, words, arcs_.single_root(), mark) && counts(heads);
    return is_one ? 0 : impossible;
}

}  // namespace arbora
