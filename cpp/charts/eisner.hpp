#pragma once
#include "charts/chart.hpp"
#include "trees/scores.hpp"

namespace arbora {

// Projective trees (Eisner 1996), each by exactly one derivation. For positions i < j, with N = n + 1:
//
//     split(i,j)     = sum over i <= k < j   complete_right(i,k) * complete_left(k+1,j)
//     open_right(i,j) = split(i,j) * arc(i,j)                       i will head j
//     open_left(i,j)  = split(i,j) * arc(j,i)                       j will head i
//     complete_right(i,j) = sum over i < k <= j   open_right(i,k) * complete_right(k,j)
//     complete_left(i,j)  = sum over i <= k < j   complete_left(i,k) * open_left(k,j)
//
// Many roots: positions 0..n, nothing heads 0, goal complete_right(0,n). A single root: positions 1..n and
//     crown(r) = complete_left(1,r) * complete_right(r,n),   rooted(r) = crown(r) * arc(0,r),   goal = sum rooted(r).
//
// Items that open or close to the right lie in rows by their left end, those to the left by their right end, so that
// all sums but one operand of the complete items run along memory.
class EisnerChart {
public:
    EisnerChart(int n, bool single_root) : n_(n), width_(n + 1), single_root_(single_root) {}

    int item_count() const { return cell(6, 2, 2); }
    int goal() const { return single_root_ ? goal_item() : complete_right(0, n_); }
    int arc(int head, int modifier) const { return head * width_ + modifier; }
    bool is_arc(int item) const { return item < width_ * width_; }

    // The leaves: arcs, and spans of one word.
    template <class Semiring>
    void set_leaves(ArcScores scores, double* values) const {
        const int cells = width_ * width_;
        for (int c = 0; c < cells; ++c) values[c] = scores.data[c];
        for (int c = cells; c < item_count(); ++c) values[c] = Semiring::zero;
        for (int i = 0; i <= n_; ++i) values[complete_right(i, i)] = values[complete_left(i, i)] = Semiring::one;
        values[one_item()] = Semiring::one;
    }

    template <class Visit>
    void bottom_up(Visit visit) const {
        const int first = single_root_ ? 1 : 0;
        for (int span = 1; span <= n_ - first; ++span)
            for (int i = first; i + span <= n_; ++i) {
                const int j = i + span;
                visit(equation(split(i, j)));
                visit(equation(open_right(i, j)));
                visit(equation(complete_right(i, j)));
                if (i == 0) continue;  // nothing heads the root
                visit(equation(open_left(i, j)));
                visit(equation(complete_left(i, j)));
            }
        if (!single_root_) return;
        for (int r = 1; r <= n_; ++r) {
            visit(equation(crown(r)));
            visit(equation(rooted(r)));
        }
        visit(equation(goal_item()));
    }

    // The exact reverse.
    template <class Visit>
    void top_down(Visit visit) const {
        if (single_root_) {
            visit(equation(goal_item()));
            for (int r = n_; r >= 1; --r) {
                visit(equation(rooted(r)));
                visit(equation(crown(r)));
            }
        }
        const int first = single_root_ ? 1 : 0;
        for (int span = n_ - first; span >= 1; --span)
            for (int i = n_ - span; i >= first; --i) {
                const int j = i + span;
                if (i > 0) {
                    visit(equation(complete_left(i, j)));
                    visit(equation(open_left(i, j)));
                }
                visit(equation(complete_right(i, j)));
                visit(equation(open_right(i, j)));
                visit(equation(split(i, j)));
            }
    }

    // How an item comes about.
    Equation equation(int item) const {
        const int cells = width_ * width_;
        const int table = item / cells;
        const int row = item % cells / width_, column = item % width_;
        switch (table) {
            case 1: return row < column ? split_equation(item, row, column) : leaf(item);
            case 2: return row < column ? times(item, split(row, column), arc(row, column)) : leaf(item);
            case 3: return row > column ? times(item, split(column, row), arc(row, column)) : leaf(item);
            case 4:
                if (row >= column) return leaf(item);
                return {item, open_right(row, row + 1), 1, complete_right(row + 1, column), width_, column - row};
            case 5:
                if (row <= column) return leaf(item);
                return {item, complete_left(column, column), width_, open_left(column, row), 1, row - column};
            case 0: return leaf(item);
            default: return root_equation(item);
        }
    }

private:
    // Tables in the order of their numbers: arcs, split, open right, open left, complete right, complete left.
    int cell(int table, int row, int column) const { return (table * width_ + row) * width_ + column; }
    int split(int i, int j) const { return cell(1, i, j); }
    int open_right(int i, int j) const { return cell(2, i, j); }
    int open_left(int i, int j) const { return cell(3, j, i); }
    int complete_right(int i, int j) const { return cell(4, i, j); }
    int complete_left(int i, int j) const { return cell(5, j, i); }
    int crown(int r) const { return cell(6, 0, r); }
    int rooted(int r) const { return cell(6, 1, r); }
    int goal_item() const { return cell(6, 2, 0); }
    int one_item() const { return cell(6, 2, 1); }

    static Equation leaf(int item) { return {item, 0, 0, 0, 0, 0}; }
    static Equation times(int item, int left, int right) { return {item, left, 0, right, 0, 1}; }
    Equation split_equation(int item, int i, int j) const {
        return {item, complete_right(i, i), 1, complete_left(i + 1, j), 1, j - i};
    }
    Equation root_equation(int item) const {
        const int offset = item - cell(6, 0, 0);
        if (offset == 2 * width_) return {item, rooted(1), 1, one_item(), 0, n_};
        if (offset == 2 * width_ + 1) return leaf(item);
        const int r = offset % width_;
        if (r == 0) return leaf(item);
        if (offset < width_) return times(item, complete_left(1, r), complete_right(r, n_));
        return times(item, crown(r), arc(0, r));
    }

    int n_, width_;
    bool single_root_;
};

static_assert(Chart<EisnerChart>);

}  // namespace arbora
