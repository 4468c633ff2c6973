#pragma once
#include "charts/chart.hpp"

namespace arbora {

// All binary trees over n words, scored by their spans alone:
//
//     whole(i,j) = score(i,j) * split(i,j),    split(i,i+1) = 1,    goal = whole(0,n)
//     split(i,j) = sum over i < k < j   whole(i,k) * whole(k,j)
//
// Scores are the leaves, from 0: that of (i,j) is number i (n+1) + j. Wholes have a mirror, by ends, so that sums run
// along memory. O(n^3).
class BracketChart {
public:
    explicit BracketChart(int n) : n_(n), width_(n + 1), cells_(width_ * width_) {}

    int score(int start, int end) const { return start * width_ + end; }
    int item_count() const { return 4 * cells_ + 1; }
    int goal() const { return whole(0, n_); }
    void set_one(double* values, double one) const { values[4 * cells_] = one; }

    Equation equation(int item) const {
        const int block = item / cells_, row = item % cells_ / width_, column = item % cells_ % width_;
        if (block == 1) return split_equation(row, column);
        if (block == 2) return whole_equation(row, column);
        if (block == 3) return whole_equation(column, row);
        return {item, 0, 0, 0};
    }
    template <class Visit>
    void bottom_up(Visit visit) const {
        for (int words = 1; words <= n_; ++words)
            for (int start = 0; start + words <= n_; ++start) {
                visit(split_equation(start, start + words));
                visit(whole_equation(start, start + words));
            }
    }
    template <class Visit>
    void top_down(Visit visit) const {
        for (int words = n_; words >= 1; --words)
            for (int start = 0; start + words <= n_; ++start) {
                visit(whole_equation(start, start + words));
                visit(split_equation(start, start + words));
            }
    }

private:
    int whole(int start, int end) const { return 2 * cells_ + start * width_ + end; }
    int mirror(int start, int end) const { return 3 * cells_ + end * width_ + start; }
    Equation whole_equation(int start, int end) const {
        return {whole(start, end), score(start, end), cells_ + score(start, end), 1, mirror(start, end)};
    }
    Equation split_equation(int start, int end) const {
        const int item = cells_ + score(start, end), one = 4 * cells_;
        if (end == start + 1) return {item, one, one, 1};
        return {item, whole(start, start + 1), mirror(start + 1, end), end - start - 1};
    }

    int n_, width_, cells_;
};

}  // namespace arbora
