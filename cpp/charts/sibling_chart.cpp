#include "charts/sibling_chart.hpp"
#include "support/interruption.hpp"

#include <climits>
#include <cstdlib>
#include <stdexcept>
#include <utility>

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
                Interruption::heed();
                const int end = side == left ? h - span : h + span;
                // Of the root, only the half that covers the sentence is of use.
                const bool is_needed = h == 0 ? end == (side == left ? 0 : n_) : end >= 1 && end <= n_;
                if (is_needed && (h > 0 || side == right || sees_grandparents_)) add_halves(h, side, end);
            }
    }
    if (!sees_grandparents_) return;
    const int on_left = half(row(0, 0, left), 0), on_right = half(row(0, 0, right), n_);
    add(goal_, on_left, on_right, possible_ways(on_left, on_right, 1));
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
        Interruption::heed();
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
        Interruption::heed();
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

// The half of an arc's modifier that goes on outwards to `end`, among those of other modifiers that reach it.
int SiblingChart::across(int arc, int end) const {
    const int h = heads_[arc], side = 2 * h + (modifiers_[arc] > h);
    if (!sees_grandparents_) return across_[side] + end * (n_ + 1) + modifiers_[arc];
    const int modifiers = side_begins_[side + 1] - side_begins_[side];
    return across_[side] + (std::abs(end - h) - 1) * modifiers + positions_[arc] - 1;
}

// Between two modifiers, which are arcs of one side, given by position.
int SiblingChart::gap(int side, int from, int to) {
    const auto arcs = arcs_of(side / 2, side % 2);
    const int near = arcs[from - 1], far = arcs[to - 1];
    const int first = side % 2 == right ? near : far, second = side % 2 == right ? far : near;
    const int a = modifiers_[first], b = modifiers_[second];
    const int item = gaps_[side] + (sees_grandparents_ ? static_cast<int>(bigram(from - 1, to - 1)) : a * (n_ + 1) + b);
    if (place_[item] >= 0) return item;
    const int from_left = half(row_below(first, right), a), from_right = half(row_below(second, left), a + 1);
    add(item, from_left, from_right, possible_ways(from_left, from_right, b - a));
    return item;
}

// All ways in which a head can take this modifier. What is possible is so in all automata of the head.
void SiblingChart::add_arc(int arc) {
    const int h = heads_[arc], m = modifiers_[arc], side = m > h ? right : left, to = positions_[arc];
    const int next = m > h ? h + 1 : h - 1, others = automata(h);
    for (int from = 0; from < (h == 0 && single_root_ ? 1 : to); ++from) {
        Interruption::heed();
        const int between = from == 0 ? half(row_below(arc, 1 - side), next) : gap(2 * h + side, from, to);
        if (!is_possible_[between]) continue;
        const int step = static_cast<int>(bigram(from, to));
        for (int automaton = 0; automaton < others; ++automaton) {
            const Row& row = this->row(h, automaton, side);
            add(row.steps + step, row.parts + step, between, {0, 1});
        }
    }
    const int first = static_cast<int>(bigram(0, to)), end = static_cast<int>(arcs_of(h, side).size()) + 1;
    const Row& one = row(h, 0, side);
    const Ways ways = possible_ways(one.open, one.steps + first, to);
    if (ways.count == 0) return;
    for (int automaton = 0; automaton < others; ++automaton) {
        const Row& row = this->row(h, automaton, side);
        add(row.open + to, row.open, row.steps + first, ways);
        add(closed(row, arc), row.open + to, part(h, automaton, side, to, end), {0, 1});
    }
}

// What a head has on one side, up to `end`, in all its automata.
void SiblingChart::add_halves(int h, int side, int end) {
    const auto arcs = arcs_of(h, side);
    if (end == h) {
        for (int automaton = 0; automaton < automata(h); ++automaton) {
            const Row& row = this->row(h, automaton, side);
            const int none = part(h, automaton, side, 0, static_cast<int>(arcs.size()) + 1);
            add(half(row, end), none, one_, {0, 1}, half_across(row, automaton, end));
        }
        return;
    }
    // The first and the last modifier that can be the last one, as far as their halves reach so far.
    int first = -1, last = -1;
    for (int arc : arcs) {
        if (std::abs(modifiers_[arc] - h) > std::abs(end - h)) break;
        if (!is_possible_[closed(row(h, 0, side), arc)] || !is_possible_[across(arc, end)]) continue;
        if (first < 0) first = arc;
        last = arc;
    }
    if (first < 0) return;
    if (across(first, end) > across(last, end)) std::swap(first, last);
    const int reached = across(first, end), count = across(last, end) - reached + 1;
    for (int automaton = 0; automaton < automata(h); ++automaton) {
        const Row& row = this->row(h, automaton, side);
        add(half(row, end), closed(row, first), reached, {0, count}, half_across(row, automaton, end));
    }
}

// A half's place among those of its siblings; -1 if nobody looks there, because it lies towards its head.
int SiblingChart::half_across(const Row& row, int automaton, int end) const {
    if (!sees_grandparents_) return across_[row.side] + end * (n_ + 1) + row.head;
    const int arc = arc_begins_[row.head] + automaton;
    const bool is_outwards = arc < arc_begins_[row.head + 1] && (heads_[arc] < row.head) == (row.side == right);
    return is_outwards ? across(arc, end) : -1;
}

SiblingChart::Ways SiblingChart::possible_ways(int left, int right, int count) const {
    int first = 0;
    while (first < count && !(is_possible_[left + first] && is_possible_[right + first])) ++first;
    while (first < count && !(is_possible_[left + count - 1] && is_possible_[right + count - 1])) --count;
    return {first, count - first};
}

void SiblingChart::add(int item, int left, int right, Ways ways, int mirror) {
    if (ways.count == 0) return;
    is_possible_[item] = 1;
    place_[item] = static_cast<int>(equations_.size());
    if (mirror >= 0) is_possible_[mirror] = 1, place_[mirror] = place_[item];
    equations_.push_back({item, left + ways.first, right + ways.first, ways.count, mirror});
}

}  // namespace arbora
