#include "charts/sibling_chart.hpp"

#include <climits>
#include <cstdlib>
#include <stdexcept>

namespace arbora {

// An arc's items need only items that span less, and so do halves, apart from those of arcs within.
void SiblingChart::build(const ArcList& arcs, bool sees_grandparents) {
    sees_grandparents_ = sees_grandparents;
    read_arcs(arcs);
    lay_out_parts();
    lay_out_items();
    for (int i = 0, span = 0; span <= n_; ++span) {
        for (; i < arc_count() && std::abs(heads_[by_length_[i]] - modifiers_[by_length_[i]]) == span; ++i)
            add_arc(by_length_[i]);
        for (int h = 0; h <= n_; ++h)
            for (int side : {left, right}) {
                const int end = side == left ? h - span : h + span;
                // Of the root, only the half that covers the sentence is of use.
                const bool is_needed = h == 0 ? end == (side == left ? 0 : n_) : end >= 1 && end <= n_;
                if (!is_needed || (h == 0 && side == left && !sees_grandparents_)) continue;
                for (int automaton = 0; automaton < automata(h); ++automaton)
                    add_half(row(h, automaton, side), automaton, end);
            }
    }
    if (sees_grandparents_) add(goal_, half(row(0, 0, left), 0), half(row(0, 0, right), n_), 1);
}

void SiblingChart::read_arcs(const ArcList& arcs) {
    n_ = arcs.n;
    single_root_ = arcs.single_root;
    if (n_ < 0 || arcs.heads.size() != arcs.modifiers.size())
        throw std::invalid_argument("every arc needs a head and a modifier");
    heads_.assign(arcs.heads.begin(), arcs.heads.end());
    modifiers_.assign(arcs.modifiers.begin(), arcs.modifiers.end());
    arc_begins_.assign(n_ + 2, 0);
    side_begins_.assign(2 * n_ + 3, 0);
    std::vector<int> begins(n_ + 2, 0);
    for (int arc = 0; arc < arc_count(); ++arc) {
        const int h = heads_[arc], m = modifiers_[arc];
        if (h < 0 || h > n_ || m < 1 || m > n_ || h == m) throw std::invalid_argument("some arc is none");
        if (arc > 0 && (m < modifiers_[arc - 1] || (m == modifiers_[arc - 1] && h <= heads_[arc - 1])))
            throw std::invalid_argument("arcs must be in order, by modifier and then by head");
        ++arc_begins_[m + 1];
        ++side_begins_[2 * h + (m > h) + 1];
        ++begins[std::abs(m - h) + 1];
    }
    for (int w = 1; w <= n_ + 1; ++w) arc_begins_[w] += arc_begins_[w - 1], begins[w] += begins[w - 1];
    for (int side = 0; side < 2 * n_ + 2; ++side) side_begins_[side + 1] += side_begins_[side];

    side_arcs_.resize(heads_.size());
    positions_.resize(heads_.size());
    by_length_.resize(heads_.size());
    std::vector<int> taken(2 * n_ + 2, 0);
    const auto put = [&](int arc, int side) {
        side_arcs_[side_begins_[side] + taken[side]] = arc;
        positions_[arc] = ++taken[side];
    };
    for (int arc = 0; arc < arc_count(); ++arc) {
        if (modifiers_[arc] > heads_[arc]) put(arc, 2 * heads_[arc] + right);
        by_length_[begins[std::abs(heads_[arc] - modifiers_[arc])]++] = arc;
    }
    for (int arc = arc_count() - 1; arc >= 0; --arc)
        if (modifiers_[arc] < heads_[arc]) put(arc, 2 * heads_[arc] + left);
}

// Rows in the order of their parts.
void SiblingChart::lay_out_parts() {
    rows_.clear();
    row_begins_.resize(n_ + 1);
    part_arcs_.clear();
    for (int h = 0; h <= n_; ++h) {
        const bool has_left = h > 0 || sees_grandparents_;
        row_begins_[h] = static_cast<int>(rows_.size()) - !has_left;
        for (int automaton = 0; automaton < automata(h); ++automaton)
            for (int side : {left, right}) {
                if (side == left && !has_left) continue;
                rows_.push_back({h, side, static_cast<int>(part_arcs_.size()), 0, 0, 0, 0});
                for (int arc : arcs_of(h, side)) part_arcs_.insert(part_arcs_.end(), positions_[arc], arc);
                part_arcs_.insert(part_arcs_.end(), arcs_of(h, side).size() + 1, -1 - (2 * h + side));
            }
    }
    if (part_arcs_.size() > INT_MAX / 4) throw std::invalid_argument("there are too many parts for one chart");
    part_count_ = item_count_ = static_cast<int>(part_arcs_.size());
}

// How far a side extends.
int SiblingChart::reach(int side) const {
    const int head = side / 2;
    return side % 2 == right ? n_ - head : std::max(head - 1, 0);
}

// Sums over modifiers run along `closed` and along `across`, where halves that reach the same end lie side by side.
// With grandparents a half belongs to one arc, so that both have only the candidates of that side. Without, a half is
// for all heads, and both have all words, in their order.
void SiblingChart::lay_out_items() {
    one_ = take(1);
    goal_ = sees_grandparents_ ? take(1) : 0;
    for (Row& row : rows_) {
        const int modifiers = static_cast<int>(arcs_of(row.head, row.side).size());
        const int side = 2 * row.head + row.side;
        row.open = take(modifiers + 1);
        row.steps = take(bigram_count(modifiers) - modifiers - 1);
        row.closed = take(sees_grandparents_ ? modifiers : reach(side));
        row.half = take(reach(side) + 1);
    }
    const int sides = 2 * n_ + 2;
    across_.resize(sides);
    gaps_.resize(sides);
    if (sees_grandparents_) {
        for (int side = 0; side < sides; ++side) {
            const std::size_t modifiers = arcs_of(side / 2, side % 2).size();
            across_[side] = take(reach(side) * modifiers);
            gaps_[side] = take(modifiers * (modifiers + 1) / 2);
        }
    } else {
        const std::size_t cells = static_cast<std::size_t>(n_ + 1) * (n_ + 1);
        const int to_left = take(cells), to_right = take(cells), gaps = take(cells);
        for (int side = 0; side < sides; ++side) {
            across_[side] = side % 2 == left ? to_left : to_right;
            gaps_[side] = gaps;
        }
        goal_ = half(row(0, 0, right), n_);
    }
    equations_.clear();
    place_.assign(item_count_, -1);
    is_possible_.assign(item_count_, 0);
    std::fill_n(is_possible_.begin(), part_count_, 1);
    is_possible_[one_] = 1;
    for (const Row& row : rows_) is_possible_[row.open] = 1;
}

int SiblingChart::take(std::size_t count) {
    if (count > static_cast<std::size_t>(INT_MAX - item_count_))
        throw std::invalid_argument("there are too many parts for one chart");
    const int first = item_count_;
    item_count_ += static_cast<int>(count);
    return first;
}

int SiblingChart::half(const Row& row, int end) const {
    return row.half + end - (row.side == right ? row.head : std::min(row.head, 1));
}

int SiblingChart::closed(const Row& row, int arc) const {
    if (sees_grandparents_) return row.closed + positions_[arc] - 1;
    return row.closed + modifiers_[arc] - (row.side == right ? row.head + 1 : 1);
}

// Where the halves of all modifiers of a side lie that reach `end`.
int SiblingChart::across(int side, int end) const {
    if (!sees_grandparents_) return across_[side] + end * (n_ + 1);
    const int modifiers = side_begins_[side + 1] - side_begins_[side];
    return across_[side] + (std::abs(end - side / 2) - 1) * modifiers;
}

// Between two modifiers, which are arcs of one side, given by position.
int SiblingChart::gap(int side, int from, int to) {
    const auto arcs = arcs_of(side / 2, side % 2);
    const int near = arcs[from - 1], far = arcs[to - 1];
    const int first = side % 2 == right ? near : far, second = side % 2 == right ? far : near;
    const int a = modifiers_[first], b = modifiers_[second];
    const int item = gaps_[side] + (sees_grandparents_ ? static_cast<int>(bigram(from - 1, to - 1)) : a * (n_ + 1) + b);
    if (place_[item] < 0)
        add(item, half(row_below(first, right), a), half(row_below(second, left), a + 1), b - a);
    return item;
}

// All ways in which a head can take this modifier.
void SiblingChart::add_arc(int arc) {
    const int h = heads_[arc], m = modifiers_[arc], side = m > h ? right : left, to = positions_[arc];
    const int next = m > h ? h + 1 : h - 1;
    for (int from = 0; from < (h == 0 && single_root_ ? 1 : to); ++from) {
        const int between = from == 0 ? half(row_below(arc, 1 - side), next) : gap(2 * h + side, from, to);
        if (!is_possible_[between]) continue;
        const int step = static_cast<int>(bigram(from, to));
        for (int automaton = 0; automaton < automata(h); ++automaton) {
            const Row& row = this->row(h, automaton, side);
            add(row.steps + step, row.parts + step, between, 1);
        }
    }
    const int first = static_cast<int>(bigram(0, to)), end = static_cast<int>(arcs_of(h, side).size()) + 1;
    for (int automaton = 0; automaton < automata(h); ++automaton) {
        const Row& row = this->row(h, automaton, side);
        add(row.open + to, row.open, row.steps + first, to);
        add(closed(row, arc), row.open + to, part(h, automaton, side, to, end), 1);
    }
}

// What a head has on one side, up to `end`.
void SiblingChart::add_half(const Row& row, int automaton, int end) {
    const int h = row.head, item = half(row, end);
    const auto arcs = arcs_of(h, row.side);
    // The same half among those of its siblings, unless it lies towards its head.
    int mirror = -1;
    if (!sees_grandparents_) {
        mirror = across(row.side, end) + h;
    } else if (const int arc = arc_begins_[h] + automaton; h > 0 && arc < arc_begins_[h + 1]) {
        const int g = heads_[arc];
        if ((h > g) == (row.side == right)) mirror = across(2 * g + row.side, end) + positions_[arc] - 1;
    }
    if (end == h) {
        add(item, part(h, automaton, row.side, 0, static_cast<int>(arcs.size()) + 1), one_, 1, mirror);
    } else if (sees_grandparents_) {
        int within = 0;
        while (within < std::ssize(arcs) && std::abs(modifiers_[arcs[within]] - h) <= std::abs(end - h)) ++within;
        add(item, row.closed, across(2 * h + row.side, end), within, mirror);
    } else {
        const int first = row.side == right ? h + 1 : end;
        add(item, row.closed + (row.side == right ? 0 : end - 1), across(row.side, end) + first, std::abs(end - h),
            mirror);
    }
}

void SiblingChart::add(int item, int left, int right, int count, int mirror) {
    int first = 0;
    while (first < count && !(is_possible_[left + first] && is_possible_[right + first])) ++first;
    if (first == count) return;
    while (!(is_possible_[left + count - 1] && is_possible_[right + count - 1])) --count;
    is_possible_[item] = 1;
    place_[item] = static_cast<int>(equations_.size());
    if (mirror >= 0) is_possible_[mirror] = 1, place_[mirror] = place_[item];
    equations_.push_back({item, left + first, right + first, count - first, mirror});
}

}  // namespace arbora
