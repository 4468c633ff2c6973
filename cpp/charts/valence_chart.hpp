#pragma once
#include "charts/chart.hpp"

namespace arbora {

// Projective trees whose heads generate their children outwards and decide before each whether to go on (Klein & Manning
// 2004), each tree by exactly one derivation. The right side of i, for i < j; the left side is its mirror image:
//
//     going_right(i,i) = continue(i, no child)    done_right(i,i) = stop(i, no child)
//     split_right(i,j) = sum over i <= k < j   going_right(i,k) * done_left(k+1,j)
//     open_right(i,j)  = split_right(i,j) * arc(i,j)                                j is the child farthest out, so far
//     grown_right(i,j) = sum over i < k <= j   open_right(i,k) * done_right(k,j)    and has all of its own
//     going_right(i,j) = grown_right(i,j) * continue(i, some child)
//     done_right(i,j)  = grown_right(i,j) * stop(i, some child)
//
// Many roots: positions 0..n, the root has a right side only, goal done_right(0,n). A single root decides nothing:
// positions 1..n and
//     crown(r) = done_left(1,r) * done_right(r,n),   rooted(r) = crown(r) * arc(0,r),   goal = sum rooted(r).
//
// A table has a row per head; in the row of h, items of the left side lie at their other end, items of the right side
// one further, so that both spans of one word have a place: h and h + 1. Done items lie in rows by their other end,
// too, so that all sums run along memory.
class ValenceChart {
public:
    enum Side { left, right };
    enum Decision { go_on, stop };

    ValenceChart() = default;
    ValenceChart(int n, bool single_root) : n_(n), rows_(n + 1), width_(n + 2), single_root_(single_root) {}

    int item_count() const { return goal_item() + 1; }
    int goal() const { return single_root_ ? goal_item() : done(right, 0, n_); }
    int arc(int head, int modifier) const { return by_head(0, side_of(head, modifier), head, modifier); }
    bool is_arc(int item) const { return item < rows_ * width_; }
    int head_of(int arc) const { return arc / width_; }
    int modifier_of(int arc) const { return arc % width_ - (arc % width_ > head_of(arc) ? 1 : 0); }
    // The leaf of a decision. A stop without a child has a second one, in the row of the other end: `childless`.
    int decision(int head, int side, int has_child, int decision) const {
        if (has_child) return later(head, side, decision);
        return decision == stop ? done(side, head, head) : going(side, head, head);
    }
    int childless(int head, int side) const { return done_by_end(side, head, head); }

    // The leaves: arcs, (n+1) x (n+1), and decisions, (n+1) x sides x (has no child, has one) x (go on, stop). Nobody
    // reads an item that is neither a leaf nor has an equation, so the rest is left as it comes.
    template <class Semiring>
    void set_leaves(const double* arcs, const double* valences, double* values) const {
        for (int h = 0; h <= n_; ++h) {
            const double* row = arcs + static_cast<long>(h) * rows_;
            for (int m = 1; m < h; ++m) values[arc(h, m)] = row[m];
            for (int m = h + 1; m <= n_; ++m) values[arc(h, m)] = row[m];
            for (int side : {left, right}) {
                for (int has_child : {0, 1})
                    for (int d : {go_on, stop}) values[decision(h, side, has_child, d)] = *valences++;
                values[childless(h, side)] = values[done(side, h, h)];
            }
            values[one(h)] = Semiring::one;
        }
    }

    template <class Visit>
    void bottom_up(Visit visit) const {
        const int first = single_root_ ? 1 : 0;
        for (int span = 1; span <= n_ - first; ++span)
            for (int i = first; i + span <= n_; ++i) {
                grow(right, i, i + span, visit);
                if (i > 0) grow(left, i + span, i, visit);  // nothing heads the root
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
                if (i > 0) take_apart(left, i + span, i, visit);
                take_apart(right, i, i + span, visit);
            }
    }

    // How an item comes about.
    Equation equation(int item) const {
        const int table = item / (rows_ * width_), row = item / width_ % rows_, column = item % width_;
        if (table > 6) return at_top(item);
        // The row is the head's, but in the last table that of the other end, where left and right change places.
        const bool further = column > row;
        const int other = column - (further ? 1 : 0);
        const int side = (table == 6) != further ? right : left;
        if (table == 0 || other == row) return leaf(item);
        switch (table) {
            case 1: return at_split(side, row, other);
            case 2: return at_open(side, row, other);
            case 3: return at_grown(side, row, other);
            case 4: return at_going(side, row, other);
            case 5: return at_done(side, row, other);
            default: return at_done(side, other, row);
        }
    }

private:
    static int side_of(int head, int other) { return other > head ? right : left; }

    // Tables in the order of their numbers: arcs, split, open, grown, going, done, done by the other end; then the
    // decisions of heads that have a child, four a head, and the rows of a single root.
    int cell(int table, int row, int column) const { return (table * rows_ + row) * width_ + column; }
    int by_head(int table, int side, int h, int e) const { return cell(table, h, e + side); }
    int split(int side, int h, int e) const { return by_head(1, side, h, e); }
    int open(int side, int h, int e) const { return by_head(2, side, h, e); }
    int grown(int side, int h, int e) const { return by_head(3, side, h, e); }
    int going(int side, int h, int e) const { return by_head(4, side, h, e); }
    int done(int side, int h, int e) const { return by_head(5, side, h, e); }
    int done_by_end(int side, int h, int e) const { return cell(6, e, h + 1 - side); }
    int later(int h, int side, int decision) const { return cell(7, 0, 0) + (h * 2 + side) * 2 + decision; }
    int crown(int r) const { return cell(7, 0, 0) + 4 * rows_ + r; }
    int rooted(int r) const { return crown(rows_) + r; }
    int one(int r) const { return rooted(rows_) + r; }
    int goal_item() const { return one(rows_); }

    // All items of the head h whose other end is e, in the order of their needs.
    template <class Visit>
    void grow(int side, int h, int e, Visit& visit) const {
        visit(at_split(side, h, e));
        visit(at_open(side, h, e));
        visit(at_grown(side, h, e));
        visit(at_going(side, h, e));
        visit(at_done(side, h, e));
    }
    template <class Visit>
    void take_apart(int side, int h, int e, Visit& visit) const {
        visit(at_done(side, h, e));
        visit(at_going(side, h, e));
        visit(at_grown(side, h, e));
        visit(at_open(side, h, e));
        visit(at_split(side, h, e));
    }

    static Equation leaf(int item) { return {item, 0, 0, 0}; }
    static Equation times(int item, int left, int right) { return {item, left, right, 1}; }
    Equation at_split(int side, int h, int e) const {
        if (side == right) return {split(right, h, e), going(right, h, h), done(left, e, h + 1), e - h};
        return {split(left, h, e), done(right, e, e), going(left, h, e + 1), h - e};
    }
    Equation at_open(int side, int h, int e) const {
        return times(open(side, h, e), split(side, h, e), by_head(0, side, h, e));
    }
    Equation at_grown(int side, int h, int e) const {
        if (side == right) return {grown(right, h, e), open(right, h, h + 1), done_by_end(right, h + 1, e), e - h};
        return {grown(left, h, e), done_by_end(left, e, e), open(left, h, e), h - e};
    }
    Equation at_going(int side, int h, int e) const {
        return times(going(side, h, e), grown(side, h, e), later(h, side, go_on));
    }
    Equation at_done(int side, int h, int e) const {
        return {done(side, h, e), grown(side, h, e), later(h, side, stop), 1, done_by_end(side, h, e)};
    }
    Equation at_crown(int r) const { return times(crown(r), done(left, r, 1), done(right, r, n_)); }
    Equation at_rooted(int r) const { return times(rooted(r), crown(r), arc(0, r)); }
    Equation at_goal() const { return {goal_item(), rooted(1), one(1), n_}; }
    Equation at_top(int item) const {
        if (item == goal_item()) return at_goal();
        if (item > crown(0) && item < crown(rows_)) return at_crown(item - crown(0));
        if (item > rooted(0) && item < rooted(rows_)) return at_rooted(item - rooted(0));
        return leaf(item);
    }

    int n_ = 0, rows_ = 1, width_ = 2;
    bool single_root_ = true;
};

static_assert(Chart<ValenceChart>);

}  // namespace arbora
