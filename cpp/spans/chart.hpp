#pragma once
#include <algorithm>
#include <vector>

#include "charts/chart.hpp"
#include "spans/grammar.hpp"

namespace arbora {

// A way to make a node of two others: their places among the chart's nodes.
struct SpanRule {
    int parent, left, right;
};

// Binarised trees made of given nodes. With s as the scores of nodes and r as those of rules, which both are leaves:
//
//     node(i,j,X) = s(i,j,X) * ways(i,j,X),    ways(i,i+1,X) = 1
//     ways(i,j,X) = sum over i < k < j, Y, Z   r(i,k,j,X,Y,Z) * pair(i,k,j,Y,Z)
//     pair        = node(i,k,Y) * node(k,j,Z)
//     goal        = sum over X   node(0,n,X) * 1
//
// A pair has an item for each rule, so that sums run along memory. Items lie in the order: scores of nodes (from 0),
// scores of rules, pairs, ways, nodes, ones, goal.
class SpanChart {
public:
    // Nodes in any order; none may be there twice, and every node must have a symbol that its length can have. Keeps
    // the rules that the grammar allows, nodes that no rule makes among them. Throws std::invalid_argument.
    void build(const SpanGrammar& grammar, int n, std::vector<SpanNode> nodes);

    int words() const { return n_; }
    // By length, then start, then symbol.
    const std::vector<SpanNode>& nodes() const { return nodes_; }
    const std::vector<SpanRule>& rules() const { return rules_; }
    int node_count() const { return static_cast<int>(nodes_.size()); }
    int rule_count() const { return static_cast<int>(rules_.size()); }
    // The rules of a node are those from first_rule(node) to first_rule(node + 1).
    int first_rule(int node) const { return first_rules_[node]; }
    // Nodes over the same words: from first to last - 1.
    struct Cell {
        int first = 0, last = 0;
    };
    Cell cell(int start, int end) const { return cells_[static_cast<std::size_t>(start) * (n_ + 1) + end]; }
    // The place of a node, -1 if it is not here.
    int find(const SpanNode& node) const;

    int score_of_node(int node) const { return node; }
    int score_of_rule(int rule) const { return node_count() + rule; }
    int pair(int rule) const { return node_count() + rule_count() + rule; }
    int ways(int node) const { return node_count() + 2 * rule_count() + node; }
    int node(int node) const { return 2 * (node_count() + rule_count()) + node; }
    int leaf_count() const { return node_count() + rule_count(); }

    int item_count() const { return goal() + 1; }
    int goal() const { return ones() + ones_; }
    Equation equation(int item) const;
    template <class Visit>
    void bottom_up(Visit visit) const {
        for (int node = 0; node < node_count(); ++node) {
            for (int rule = first_rules_[node]; rule < first_rules_[node + 1]; ++rule) visit(pair_equation(rule));
            visit(ways_equation(node));
            visit(node_equation(node));
        }
        visit(goal_equation());
    }
    template <class Visit>
    void top_down(Visit visit) const {
        visit(goal_equation());
        for (int node = node_count() - 1; node >= 0; --node) {
            visit(node_equation(node));
            visit(ways_equation(node));
            for (int rule = first_rules_[node + 1] - 1; rule >= first_rules_[node]; --rule) visit(pair_equation(rule));
        }
    }

    // Sets what is 1 in a semiring; the caller sets the leaves.
    void set_ones(double* values, double one) const { std::fill_n(values + ones(), ones_, one); }

private:
    int ones() const { return 3 * node_count() + 2 * rule_count(); }
    Equation pair_equation(int rule) const {
        return {pair(rule), node(rules_[rule].left), node(rules_[rule].right), 1};
    }
    Equation ways_equation(int node) const {
        if (nodes_[node].end == nodes_[node].start + 1) return {ways(node), ones(), ones(), 1};
        const int first = first_rules_[node];
        return {ways(node), score_of_rule(first), pair(first), first_rules_[node + 1] - first};
    }
    Equation node_equation(int node) const { return {this->node(node), score_of_node(node), ways(node), 1}; }
    Equation goal_equation() const {
        const Cell whole = cell(0, n_);
        return {goal(), node(whole.first), ones(), whole.last - whole.first};
    }
    void add_rules(const SpanGrammar& grammar, int node);

    int n_ = 0, ones_ = 1;
    std::vector<SpanNode> nodes_;
    std::vector<SpanRule> rules_;
    std::vector<int> first_rules_, ends_, end_begins_;
    std::vector<Cell> cells_;
};

}  // namespace arbora
