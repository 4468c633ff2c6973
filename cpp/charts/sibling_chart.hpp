#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "charts/bigrams.hpp"
#include "charts/chart.hpp"

namespace arbora {

// The arcs that a sentence of n words may have, by modifier and for each modifier by head, and which trees count.
struct ArcList {
    int n;
    std::span<const int> heads, modifiers;
    bool single_root = true;
};

// Projective trees in which a word's modifiers are scored by bigrams of neighbours on each side, START and END included
// (Eisner 1996; McDonald & Pereira 2006), and, if bigrams see grandparents, by the head of that word too (Koo & Collins
// 2010, model 1). Only candidate arcs have items. Each tree has exactly one derivation.
//
// An automaton (h, g) is a word h under its head g; the root, and every word if bigrams do not see g, has one only. On
// a side with the candidates m_1 .. m_p, going outwards, and with half(i, e) as that of m_i under h:
//
//     open(0) = 1,    open(i) = sum over from < i   open(from) * step(from,i)                m_i is the last one so far
//     step(0,i)    = part(START,i) * half towards h of m_i that reaches the word next to h
//     step(from,i) = part(from,i) * gap(m_from, m_i)
//     gap(a,b)     = sum over a <= k < b   right half(a,k) * left half(b,k+1)
//     closed(i)    = open(i) * part(i,END)
//     half(h)      = part(START,END),    half(e) = sum over m_i up to e   closed(i) * half(i,e)
//     goal         = right half(0,n) of the root; a single root has no steps but those from START.
//
// The leaves are the parts, numbered from 0: automaton by automaton (those of a word in the order of its candidates for
// g), left side, then right side, bigrams as in bigrams.hpp; the root has a left side only if bigrams see grandparents.
// So they lie as those of the factors ChildSequences and GrandSiblings. A part that goes to a modifier stands for the
// arc, too.
//
// Without grandparents O(n^3). With them, if there are A arcs, of which a word has G above and p on a side below it:
// O(A p (n + G)), which is at most O(n^4).
class SiblingChart {
public:
    static constexpr int left = 0, right = 1;

    // Throws std::invalid_argument for what is no arc, or not in order. A chart can be built again, for another
    // sentence, and keeps its memory.
    void build(const ArcList& arcs, bool sees_grandparents);

    int item_count() const { return item_count_; }
    int goal() const { return goal_; }
    Equation equation(int item) const { return place_[item] < 0 ? Equation{item, 0, 0, 0} : equations_[place_[item]]; }
    template <class Visit>
    void bottom_up(Visit visit) const {
        for (const Equation& e : equations_) visit(e);
    }
    template <class Visit>
    void top_down(Visit visit) const {
        for (std::size_t i = equations_.size(); i-- > 0;) visit(equations_[i]);
    }

    int words() const { return n_; }
    int arc_count() const { return static_cast<int>(heads_.size()); }
    int head(int arc) const { return heads_[arc]; }
    int modifier(int arc) const { return modifiers_[arc]; }
    // Where an arc is on its side of the head, from 1.
    int position(int arc) const { return positions_[arc]; }
    // The first arc to a word; the last is before the first one to the next word.
    int first_arc(int word) const { return arc_begins_[word]; }
    // The arcs of a head on a side, outwards.
    std::span<const int> arcs_of(int head, int side) const {
        const int begin = side_begins_[2 * head + side];
        return {side_arcs_.data() + begin, static_cast<std::size_t>(side_begins_[2 * head + side + 1] - begin)};
    }

    // How many automata a word has; arc first_arc(word) + i makes it automaton i, if they see grandparents.
    int automata(int word) const {
        if (!sees_grandparents_ || word == 0) return 1;
        return std::max(arc_begins_[word + 1] - arc_begins_[word], 1);
    }
    int part_count() const { return part_count_; }
    int part(int word, int automaton, int side, int from, int to) const {
        return row(word, automaton, side).parts + static_cast<int>(bigram(from, to));
    }
    bool is_part(int item) const { return item < part_count_; }
    // Of a part: the arc that it stands for; -1 if it goes to END.
    int arc_of(int part) const { return part_arcs_[part] < 0 ? -1 : part_arcs_[part]; }
    // Parts of which a tree has exactly one have the same number here: all that go to a word, all to END on a side.
    int choice(int part) const { return part_arcs_[part] < 0 ? n_ - part_arcs_[part] : modifiers_[part_arcs_[part]]; }
    int choice_count() const { return 3 * n_ + 3; }

    // The leaves: parts, and the beginnings of automata.
    template <class Semiring>
    void set_leaves(const double* parts, double* values) const {
        for (int part = 0; part < part_count_; ++part) values[part] = parts[part];
        for (int item = part_count_; item < item_count_; ++item) values[item] = Semiring::zero;
        values[one_] = Semiring::one;
        for (const Row& row : rows_) values[row.open] = Semiring::one;
    }

private:
    // One side of an automaton, and where its items begin.
    struct Row {
        int head, side, parts, open, steps, closed, half;
    };

    void read_arcs(const ArcList& arcs);
    void lay_out_parts();
    void lay_out_items();
    void add_arc(int arc);
    void add_halves(int head, int side, int end);

    // Of the ways to come to an item, those from the first to the last that are possible; others lack some arc.
    struct Ways {
        int first, count;
    };
    Ways possible_ways(int left, int right, int count) const;
    void add(int item, int left, int right, Ways ways, int mirror = -1);
    int take(std::size_t count);

    const Row& row(int head, int automaton, int side) const { return rows_[row_begins_[head] + 2 * automaton + side]; }
    // Of the modifier of an arc, under its head.
    const Row& row_below(int arc, int side) const {
        return row(modifiers_[arc], sees_grandparents_ ? arc - arc_begins_[modifiers_[arc]] : 0, side);
    }
    int reach(int side) const;
    int half(const Row& row, int end) const;
    int half_across(const Row& row, int automaton, int end) const;
    int closed(const Row& row, int arc) const;
    int across(int arc, int end) const;
    int gap(int side, int from, int to);

    int n_ = 0, part_count_ = 0, item_count_ = 0, goal_ = 0, one_ = 0;
    bool sees_grandparents_ = false, single_root_ = true;
    std::vector<int> heads_, modifiers_;
    std::vector<int> arc_begins_;               // where the arcs to each word begin
    std::vector<int> side_begins_, side_arcs_;  // the arcs of each side of each head
    std::vector<int> positions_;                // of each arc on its side, from 1
    std::vector<int> by_length_;                // the arcs, short ones first
    std::vector<Row> rows_;
    std::vector<int> row_begins_;     // of each word
    std::vector<int> across_, gaps_;  // of each side
    std::vector<int> part_arcs_;      // the arc, or -1 - [number of the side] for END
    std::vector<Equation> equations_;
    std::vector<int> place_;         // of each item, its equation; -1 for a leaf
    std::vector<char> is_possible_;  // of each item
};

static_assert(Chart<SiblingChart>);

}  // namespace arbora
