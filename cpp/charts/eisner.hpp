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
// Items to the right lie in rows by their left end, items to the left by their right end; complete items lie the other
// way round, too, so that all sums run along memory (1.5 times faster at n = 50 than striding over one table).
class EisnerChart {
public:
    EisnerChart(int n, bool single_root) : n_(n), width_(n + 1), single_root_(single_root) {}

    int item_count() const { return goal_item() + 1; }
    int goal() const { return single_root_ ? goal_item() : complete_right(0, n_); }
    int arc(int head, int modifier) const { return head * width_ + modifier; }
    bool is_arc(int item) const { return item < width_ * width_; }

    // The leaves: arcs, and spans of one word.
    template <class Semiring>
    void set_leaves(ArcScores scores, double* values) const {
        const int cells = width_ * width_;
        for (int c = 0; c < cells; ++c) values[c] = scores.data[c];
        for (int c = cells; c < item_count(); ++c) values[c] = Semiring::zero;
        for (int i = 0; i <= n_; ++i) {
            for (int table : {4, 5, 6, 7}) values[cell(table, i, i)] = Semiring::one;
            values[one(i)] = Semiring::one;
        }
    }

    template <class Visit>
    void bottom_up(Visit visit) const {
        const int first = single_root_ ? 1 : 0;
        for (int span = 1; span <= n_ - first; ++span)
            for (int i = first; i + span <= n_; ++i) {
                const int j = i + span;
                visit(at_split(i, j));
                visit(at_open_right(i, j));
                visit(at_complete_right(i, j));
                if (i == 0) continue;  // nothing heads the root
                visit(at_open_left(i, j));
                visit(at_complete_left(i, j));
            }
        if (!single_root_) return;
        for (int r = 1; r <= n_; ++r) {
            visit(at_crown(r));
            visit(at_rooted(r));
        }
        visit(at_goal());
    }

    // The exact reverse.
    template <class Visit>
    void top_down(Visit visit) const {
        if (single_root_) {
            visit(at_goal());
            for (int r = n_; r >= 1; --r) {
                visit(at_rooted(r));
                visit(at_crown(r));
            }
        }
        const int first = single_root_ ? 1 : 0;
        for (int span = n_ - first; span >= 1; --span)
            for (int i = n_ - span; i >= first; --i) {
                const int j = i + span;
                if (i > 0) {
                    visit(at_complete_left(i, j));
                    visit(at_open_left(i, j));
                }
                visit(at_complete_right(i, j));
                visit(at_open_right(i, j));
                visit(at_split(i, j));
            }
    }

    // How an item comes about.
    Equation equation(int item) const {
        const int row = item / width_ % width_, column = item % width_;
        switch (item / (width_ * width_)) {
            case 1: return row < column ? at_split(row, column) : leaf(item);
            case 2: return row < column ? at_open_right(row, column) : leaf(item);
            case 3: return column < row ? at_open_left(column, row) : leaf(item);
            case 4: return row < column ? at_complete_right(row, column) : leaf(item);
            case 5: return column < row ? at_complete_left(column, row) : leaf(item);
            case 6: return column < row ? at_complete_right(column, row) : leaf(item);
            case 7: return row < column ? at_complete_left(row, column) : leaf(item);
            case 0: return leaf(item);
            default: return at_top(item);
        }
    }

private:
    // Tables in the order of their numbers: arcs, split, open right and left, complete right and left, the same two
    // mirrored; then the rows of a single root.
    int cell(int table, int row, int column) const { return (table * width_ + row) * width_ + column; }
    int split(int i, int j) const { return cell(1, i, j); }
    int open_right(int i, int j) const { return cell(2, i, j); }
    int open_left(int i, int j) const { return cell(3, j, i); }
    int complete_right(int i, int j) const { return cell(4, i, j); }
    int complete_left(int i, int j) const { return cell(5, j, i); }
    int complete_right_by_end(int i, int j) const { return cell(6, j, i); }
    int complete_left_by_start(int i, int j) const { return cell(7, i, j); }
    int crown(int r) const { return cell(8, 0, r); }
    int rooted(int r) const { return cell(8, 1, r); }
    int one(int i) const { return cell(8, 2, i); }
    int goal_item() const { return cell(8, 3, 0); }

    static Equation leaf(int item) { return {item, 0, 0, 0}; }
    static Equation times(int item, int left, int right) { return {item, left, right, 1}; }
    Equation at_split(int i, int j) const {
        return {split(i, j), complete_right(i, i), complete_left(i + 1, j), j - i};
    }
    Equation at_open_right(int i, int j) const { return times(open_right(i, j), split(i, j), arc(i, j)); }
    Equation at_open_left(int i, int j) const { return times(open_left(i, j), split(i, j), arc(j, i)); }
    Equation at_complete_right(int i, int j) const {
        return {complete_right(i, j), open_right(i, i + 1), complete_right_by_end(i + 1, j), j - i,
                complete_right_by_end(i, j)};
    }
    Equation at_complete_left(int i, int j) const {
        return {complete_left(i, j), complete_left_by_start(i, i), open_left(i, j), j - i,
                complete_left_by_start(i, j)};
    }
    Equation at_crown(int r) const { return times(crown(r), complete_left(1, r), complete_right(r, n_)); }
    Equation at_rooted(int r) const { return times(rooted(r), crown(r), arc(0, r)); }
    Equation at_goal() const { return {goal_item(), rooted(1), one(1), n_}; }
    Equation at_top(int item) const {
        const int offset = item - crown(0), r = offset % width_;
        if (item == goal_item()) return at_goal();
        if (r == 0 || offset >= 2 * width_) return leaf(item);
        return offset < width_ ? at_crown(r) : at_rooted(r);
    }

    int n_, width_;
    bool single_root_;
};

static_assert(Chart<EisnerChart>);

}  // namespace arbora
