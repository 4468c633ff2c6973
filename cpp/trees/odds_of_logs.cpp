#include "trees/odds_of_logs.hpp"

#include <algorithm>
#include <cmath>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"
#include "trees/columns.hpp"
#include "trees/scores.hpp"

namespace arbora {
namespace {

// Four columns or, at the end, `count`. The largest of a column is set against all others, which are added up; nothing
// else is near 1.
ARBORA_INLINE void odds_of_four(double* logs, std::size_t width, int rows, int first, int count) {
    const Lanes none = all_lanes(impossible);
    const auto at = [=](int h) ARBORA_INLINED {
        Lanes x = load_up_to(logs + h * width + first, count);
        if (h >= first && h < first + lane_count) x[h - first] = impossible;  // the diagonal is no arc
        return x;
    };
    const auto [largest, second, top] = find_top_two(rows, at);
    // The others' weights, as multiples of the second's probability.
    const LaneBits is_alone = second == none;
    const Lanes shift = is_alone ? Lanes{} : second, unit = exp_bounded(shift);
    const bool all_tiny = none_of(second > -40.0);  // log(1 - p) is 0 then, for all but the largest
    Lanes sum{};
    for (int h = 0; h < rows; ++h) {
        const Lanes x = at(h), multiple = exp_bounded(x - shift);
        const LaneBits is_top = top == h;
        sum += is_top ? Lanes{} : multiple;
        if (all_tiny) continue;
        const Lanes odds = x - log_positive(1.0 - (is_top | is_alone ? Lanes{} : multiple * unit));
        store_up_to(logs + h * width + first, count, x == none ? none : odds);
    }
    const Lanes others = second + log_positive(is_alone ? all_lanes(1) : sum);
    for (int l = 0; l < count; ++l)
        if (largest[l] > impossible) logs[top[l] * width + first + l] = is_alone[l] ? INFINITY : largest[l] - others[l];
}

}  // namespace

ARBORA_VECTORISED void log_odds_of_logs(double* logs, int n) {
    int first = 1;
    for (; first + lane_count <= n + 1; first += lane_count) odds_of_four(logs, n + 1, n + 1, first, lane_count);
    if (first <= n) odds_of_four(logs, n + 1, n + 1, first, n + 1 - first);
}

// The largest of a column is set against the second, and all others against the largest.
void max_odds_of_logs(double* scores, int n) {
    const std::size_t width = n + 1;
    for (int m = 1; m <= n; ++m) {
        double *column = scores + m, largest = impossible, second = impossible;
        int top = -1;
        for (int h = 0; h <= n; ++h) {
            const double x = column[h * width];
            if (h == m || x == impossible) continue;
            second = std::max(second, std::min(x, largest));
            if (x > largest) largest = x, top = h;
        }
        for (int h = 0; h <= n; ++h) {
            double& x = column[h * width];
            if (h != m && x != impossible) x -= h == top ? second : largest;
        }
    }
}

}  // namespace arbora
