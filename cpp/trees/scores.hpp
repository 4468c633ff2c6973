#pragma once
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace arbora {

inline constexpr double impossible = -std::numeric_limits<double>::infinity();

// Arc scores of one sentence of n tokens: a row per head, a column per modifier, row 0 the root, (n+1) x (n+1).
// The diagonal and column 0 are no arcs; nobody reads them.
struct ArcScores {
    const double* data;
    int n;

    int width() const { return n + 1; }
    const double* row(int head) const { return data + static_cast<std::size_t>(head) * width(); }
    double operator()(int head, int modifier) const { return row(head)[modifier]; }
};

// The lowest and the highest of some scores.
struct ScoreRange {
    double lowest, highest;

    bool has_impossible() const { return lowest == impossible; }
    // Their exponentials, and products and quotients of a few of those, are far from the ends of a double's range.
    bool is_moderate() const { return lowest >= -100 && highest <= 100; }
};

// Sums over trees are right for finite scores up to this, of either sign. Wide numbers, whose exponents stay below 2^50,
// would hold some more; but nobody means them: who writes -1e30 for an arc that must not be means -inf.
inline constexpr double score_limit = 1e10;

// Which trees count.
struct TreeKind {
    bool single_root = true;
    bool projective = false;
};

// Heads of the tokens 1..n; heads[0] is -1.
using Heads = std::vector<int>;

// No tree of the wanted kind exists; the message names the tokens.
class Infeasible : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A sentence has too many words for what is asked.
class TooLong : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// nan or +inf among the scores; in sums, also one beyond score_limit.
class InvalidScores : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The sum of a tree's arc scores.
inline double tree_score(ArcScores scores, const int* heads) {
    double total = 0;
    for (int m = 1; m <= scores.n; ++m) total += scores(heads[m], m);
    return total;
}

}  // namespace arbora
