#include "trees/arc_weights.hpp"

#include <algorithm>
#include <cmath>

#include "support/vectorise.hpp"
#include "support/wide_lanes.hpp"
#include "trees/columns.hpp"

namespace arbora {
namespace {

ARBORA_VECTORISED void column_maxima(const double* scores, int n, int first_head, double* maxima) {
    const int width = n + 1;
    auto four = [=](int first) {
        Lanes best = all_lanes(impossible);
        const double* cell = scores + first;
        auto take = [&](int begin, int end) {
            for (int h = begin; h < end; ++h) best = larger(load(cell + static_cast<std::size_t>(h) * width), best);
        };
        take(first_head, first);
        for (int l = 0; l < lane_count; ++l) {  // the diagonal is no arc
            if (first + l < first_head) continue;
            Lanes row = load(cell + static_cast<std::size_t>(first + l) * width);
            row[l] = impossible;
            best = larger(row, best);
        }
        take(std::max(first_head, first + lane_count), width);
        store(maxima + first, best);
    };
    auto one = [=](int m) {
        maxima[m] = impossible;
        for (int h = first_head; h < width; ++h)
            if (h != m) maxima[m] = std::max(maxima[m], scores[h * width + m]);
    };
    for_columns(0, width, four, one);
}

// four(row, m, extra) and one(...) give the weights from column m on.
template <class Four, class One>
ARBORA_INLINE void fill_rows(ArcScores scores, double root_shift, double* w, std::size_t ld, Four four, One one) {
    for (int h = 0; h < scores.width(); ++h) {
        const double* row = scores.row(h);
        double* to = w + static_cast<std::size_t>(h ? h - 1 : scores.n) * ld - 1;
        const double extra = h ? 0 : root_shift;
        for_columns(
            1, scores.width(), [=](int m) { store(to + m, four(row, m, extra)); },
            [=](int m) { to[m] = one(row, m, extra); });
    }
}

// a - b = high + low, exactly.
ARBORA_INLINE void exact_difference(Lanes a, Lanes b, Lanes& high, Lanes& low) {
    high = a - b;
    const Lanes back = high - a;
    low = (a - (high - back)) - (b + back);
}

}  // namespace

void choose_shifts(ArcScores scores, bool single_root, bool moderate, Shifts& shifts) {
    shifts.none = moderate;
    shifts.column.assign(scores.width(), 0);
    shifts.root_row = 0;
    if (moderate) return;
    column_maxima(scores.data, scores.n, single_root ? 1 : 0, shifts.column.data());
    if (!single_root) return;
    if (scores.n == 1) shifts.column[1] = 0;  // no arc but the root's
    shifts.root_row = impossible;
    for (int m = 1; m <= scores.n; ++m) shifts.root_row = std::max(shifts.root_row, scores(0, m) - shifts.column[m]);
}

double total_shift(const Shifts& shifts) {
    if (shifts.none) return 0;
    long double total = shifts.root_row;
    for (std::size_t m = 1; m < shifts.column.size(); ++m) total += shifts.column[m];
    return static_cast<double>(total);
}

ARBORA_VECTORISED void fill_weights(ArcScores scores, const Shifts& shifts, double* w, std::size_t ld) {
    const double* shift = shifts.column.data();
    if (shifts.none)
        fill_rows(
            scores, 0, w, ld, [](const double* row, int m, double) { return exp_moderate(load(row + m)); },
            [](const double* row, int m, double) { return exp_bounded(row[m]); });
    else
        fill_rows(
            scores, shifts.root_row, w, ld,
            [=](const double* row, int m, double extra) {
                return exp_bounded(load(row + m) - load(shift + m) - extra);
            },
            [=](const double* row, int m, double extra) { return exp_bounded(row[m] - shift[m] - extra); });
}

ARBORA_VECTORISED void fill_weights(ArcScores scores, const Shifts& shifts, WideCells w, std::size_t ld) {
    const Lanes none = all_lanes(impossible);
    for (int m = 1; m <= scores.n; m += lane_count) {
        const int count = std::min(lane_count, scores.n + 1 - m);
        const Lanes shift = load_up_to(shifts.column.data() + m, count);
        for (int h = 0; h <= scores.n; ++h) {
            const Lanes score = load_up_to(scores.row(h) + m, count);
            Lanes high, low, rest{};
            exact_difference(score, shift, high, low);
            if (h == 0) exact_difference(high, all_lanes(shifts.root_row), high, rest);
            const LaneBits is_none = score == none;
            high = is_none ? none : high;
            low = is_none ? Lanes{} : low + rest;
            store(w + ((h ? h - 1 : scores.n) * ld + (m - 1)), WideLanes::exp(high, low));
        }
    }
}

// Logarithms are taken of products that are still far from the ends of the range, which needs few of them.
double log_product(std::span<const double> factors) {
    double total = 0, product = 1;
    for (double factor : factors) {
        product *= factor;
        if (product > 1e-150 && product < 1e150) continue;
        total += std::log(product);
        product = 1;
    }
    return total + std::log(product);
}
double log_product(std::span<const Wide> factors) {
    Wide product(1);
    for (const Wide& factor : factors) product = product * factor;
    return product.log();
}

}  // namespace arbora
