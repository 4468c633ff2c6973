#include "factors/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace arbora {

// f(t) = sum of clip(a - t) falls from `count` to 0, with a slope that changes at each a[i] and a[i] - 1. Walks down
// from t = max a, where f is 0, to the piece on which f reaches `total`.
void project_to_sum(const double* a, int count, double total, double* z, Arena& arena) {
    const Arena::Frame frame(arena);
    double* enter = arena.take<double>(count);
    std::copy(a, a + count, enter);
    std::sort(enter, enter + count, std::greater<>());
    int entered = 0, full = 0;  // those with a[i] > t, and of them those with a[i] - 1 >= t
    double t = count ? enter[0] : 0, f = 0;
    while (full < count) {
        const double next_full = enter[full] - 1;
        const bool enters = entered < count && enter[entered] > next_full;
        const double next = enters ? enter[entered] : next_full;
        f += (entered - full) * (t - next);
        t = next;
        if (f >= total) break;
        ++(enters ? entered : full);
    }
    // Once more from the numbers themselves, since the walk adds up what it rounds.
    if (entered > full) {
        double sum = full - total;
        for (int i = full; i < entered; ++i) sum += enter[i];
        t = sum / (entered - full);
    }
    for (int i = 0; i < count; ++i) z[i] = a[i] - t < 0 ? 0 : std::min(a[i] - t, 1.0);
}

FreePorts::FreePorts(const double* a, int count, Arena& arena) : a(a), count(count), values(arena.take<double>(count)) {
    for (int i = 0; i < count; ++i) {
        if (!std::isinf(a[i])) values[free++] = a[i];
        ones += a[i] == INFINITY;
    }
}

void FreePorts::scatter(const double* solved, double* z) const {
    for (int i = 0; i < count; ++i) z[i] = std::isinf(a[i]) ? a[i] > 0 : *solved++;
}

double FreePorts::clipped_sum() const {
    double sum = 0;
    for (int i = 0; i < free; ++i) sum += clip(values[i]);
    return sum;
}

bool project_between(const double* a, int count, double low, double high, double* z, Arena& arena) {
    const Arena::Frame frame(arena);
    const FreePorts ports(a, count, arena);
    if (ports.ones > high || ports.ones + ports.free < low) return false;
    const double sum = ports.ones + ports.clipped_sum();
    double* solved = arena.take<double>(ports.free);
    if (sum >= low && sum <= high)
        for (int i = 0; i < ports.free; ++i) solved[i] = clip(ports.values[i]);
    else  // it lies on the side that clipping violates
        project_to_sum(ports.values, ports.free, (sum < low ? low : high) - ports.ones, solved, arena);
    ports.scatter(solved, z);
    return true;
}

}  // namespace arbora
