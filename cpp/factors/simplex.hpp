#pragma once
#include "support/arena.hpp"

namespace arbora {

// Nearest points, the pieces of which the projections of logic factors are made.

inline double clip(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// The point of {0 <= z <= 1, sum of z = total} nearest to `a`, where 0 <= total <= count: z = clip(a - t) for the
// right t. O(n log n).
void project_to_sum(const double* a, int count, double total, double* z, Arena& arena);

// What of `a` is fixed (-inf: at 0, +inf: at 1), and the rest in its order.
struct FreePorts {
    FreePorts(const double* a, int count, Arena& arena);

    // z of all ports: the fixed ones, and the free ones from `solved`.
    void scatter(const double* solved, double* z) const;
    // Of the free ports, each moved into [0, 1].
    double clipped_sum() const;

    const double* a;
    int count;       // of all ports
    double* values;  // of the free ports
    int free = 0;    // how many those are
    int ones = 0;    // ports fixed at 1
};

// The nearest point of {0 <= z <= 1, low <= sum of z <= high}, fixed ports respected; false if there is none.
bool project_between(const double* a, int count, double low, double high, double* z, Arena& arena);

}  // namespace arbora
