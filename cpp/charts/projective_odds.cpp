#include "charts/projective_odds.hpp"

#include <cmath>

#include "charts/algorithms.hpp"
#include "charts/eisner.hpp"
#include "semirings/log.hpp"
#include "trees/odds_of_logs.hpp"

namespace arbora {
namespace {

// Below these, exponentials of scores relative to the best tree's would be lost on their way to an arc.
constexpr double lowest_score = -400, smallest_probability = 1e-290;

template <class Semiring>
void run_inside(const EisnerChart& chart, ArcScores scores, double* values) {
    chart.set_leaves<Semiring>(scores, values);
    inside<Semiring>(chart, values);
}

void read_heads(const EisnerChart& chart, const double* values, int n, int* heads) {
    heads[0] = -1;
    best_derivation(chart, values, [&](int item) {
        if (chart.is_arc(item)) heads[item % (n + 1)] = item / (n + 1);
    });
}

// The best tree with each arc, in `with`; -inf for what is no arc. Returns the score of the best of all.
double best_with_arcs(const EisnerChart& chart, const double* values, int n, double* with, Arena& arena) {
    const Arena::Frame frame(arena);
    double* around = arena.take<double>(chart.item_count());
    outside<MaxSemiring>(chart, values, around);
    for (int h = 0; h <= n; ++h)
        for (int m = 0; m <= n; ++m) {
            const int arc = chart.arc(h, m);
            with[arc] = m == 0 || h == m ? impossible : values[arc] + around[arc];
        }
    return values[chart.goal()];
}

}  // namespace

bool find_best_projective_tree(ArcScores scores, bool single_root, int* heads, Arena& arena) {
    const Arena::Frame frame(arena);
    const EisnerChart chart(scores.n, single_root);
    double* values = arena.take<double>(chart.item_count());
    run_inside<MaxSemiring>(chart, scores, values);
    if (values[chart.goal()] == impossible) return false;
    read_heads(chart, values, scores.n, heads);
    return true;
}

double projective_max_odds(ArcScores scores, bool single_root, double* odds, Arena& arena) {
    const Arena::Frame frame(arena);
    const EisnerChart chart(scores.n, single_root);
    double* values = arena.take<double>(chart.item_count());
    run_inside<MaxSemiring>(chart, scores, values);
    if (values[chart.goal()] == impossible) return impossible;
    const double best = best_with_arcs(chart, values, scores.n, odds, arena);
    max_odds_of_logs(odds, scores.n);
    return best;
}

// On scores less those of the best tree's arcs, so that logarithms of sums stay near 0 where it matters. Probabilities
// are pushed down the chart, unless some tree is so unlikely that they would underflow: then outsides are kept as
// logarithms, which takes a logarithm for every edge of the chart.
double projective_log_odds(ArcScores scores, bool single_root, double* odds, Arena& arena) {
    const Arena::Frame frame(arena);
    const int n = scores.n;
    const std::size_t width = scores.width(), cells = width * width;
    const EisnerChart chart(n, single_root);
    double* values = arena.take<double>(chart.item_count());
    run_inside<MaxSemiring>(chart, scores, values);
    if (values[chart.goal()] == impossible) return impossible;
    const double best = best_with_arcs(chart, values, n, odds, arena);

    int* heads = arena.take<int>(width);
    read_heads(chart, values, n, heads);
    double* shifted = arena.take<double>(cells);
    long double shift = 0;
    for (int m = 1; m <= n; ++m) shift += scores(heads[m], m);
    for (std::size_t c = 0; c < cells; ++c) {
        const int m = static_cast<int>(c % width);
        shifted[c] = m ? scores.data[c] - scores(heads[m], m) : impossible;
    }
    run_inside<LogSemiring>(chart, {shifted, n}, values);
    const double total = values[chart.goal()];

    double* around = arena.take<double>(chart.item_count());
    bool fits = true;
    for (std::size_t c = 0; c < cells; ++c) fits &= odds[c] == impossible || odds[c] - best > lowest_score;
    if (fits) {
        posteriors(chart, values, around);
        for (std::size_t c = 0; c < cells; ++c) fits &= odds[c] == impossible || around[c] > smallest_probability;
    }
    if (fits) {
        for (std::size_t c = 0; c < cells; ++c)
            if (odds[c] != impossible) odds[c] = std::log(around[c]);
    } else {
        outside<LogSemiring>(chart, values, around);
        for (std::size_t c = 0; c < cells; ++c)
            if (odds[c] != impossible) odds[c] = values[c] + around[c] - total;
    }
    log_odds_of_logs(odds, n);
    return static_cast<double>(shift + total);
}

}  // namespace arbora
