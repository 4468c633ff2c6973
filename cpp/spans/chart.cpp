#include "spans/chart.hpp"

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <tuple>

#include "support/interruption.hpp"

namespace arbora {

void SpanChart::build(const SpanGrammar& grammar, int n, std::vector<SpanNode> nodes) {
    n_ = n;
    nodes_ = std::move(nodes);
    const auto key = [](const SpanNode& node) { return std::tuple(node.end - node.start, node.start, node.symbol); };
    std::sort(nodes_.begin(), nodes_.end(), [&](const SpanNode& a, const SpanNode& b) { return key(a) < key(b); });
    cells_.assign(static_cast<std::size_t>(n + 1) * (n + 1), {});
    end_begins_.assign(n + 2, 0);
    ones_ = 1;
    for (int i = 0; i < node_count(); ++i) {
        const SpanNode& node = nodes_[i];
        const int words = node.end - node.start;
        if (node.start < 0 || words < 1 || node.end > n || node.symbol < grammar.first_symbol(words) ||
            node.symbol >= grammar.last_symbol(words, words == n))
            throw std::invalid_argument("some node is none");
        if (i > 0 && nodes_[i - 1] == node) throw std::invalid_argument("some node is there twice");
        Cell& cell = cells_[static_cast<std::size_t>(node.start) * (n + 1) + node.end];
        if (cell.last == 0) cell.first = i, ++end_begins_[node.start + 1];
        cell.last = i + 1;
        if (words == n) ones_ = std::max(ones_, cell.last - cell.first);
    }
    // For each start the ends of cells that have nodes, in order.
    for (int start = 0; start <= n; ++start) end_begins_[start + 1] += end_begins_[start];
    ends_.resize(end_begins_[n + 1]);
    for (int start = 0; start < n; ++start) {
        int at = end_begins_[start];
        for (int end = start + 1; end <= n; ++end)
            if (cell(start, end).last) ends_[at++] = end;
    }
    rules_.clear();
    first_rules_.clear();
    for (int i = 0; i < node_count(); ++i) {
        Interruption::heed();
        first_rules_.push_back(rule_count());
        if (nodes_[i].end > nodes_[i].start + 1) add_rules(grammar, i);
        if (rules_.size() > INT_MAX / 8) throw std::invalid_argument("there are too many rules for one chart");
    }
    first_rules_.push_back(rule_count());
}

void SpanChart::add_rules(const SpanGrammar& grammar, int node) {
    const SpanNode parent = nodes_[node];
    for (int at = end_begins_[parent.start]; ends_[at] < parent.end; ++at) {
        const Cell left = cell(parent.start, ends_[at]), right = cell(ends_[at], parent.end);
        for (int y = left.first; y < left.last; ++y)
            for (int z = right.first; z < right.last; ++z)
                if (grammar.allows(parent.symbol, nodes_[y].symbol, nodes_[z].symbol)) rules_.push_back({node, y, z});
    }
}

int SpanChart::find(const SpanNode& node) const {
    if (node.start < 0 || node.end > n_ || node.start >= node.end) return -1;
    const Cell found = cell(node.start, node.end);
    for (int i = found.first; i < found.last; ++i)
        if (nodes_[i].symbol == node.symbol) return i;
    return -1;
}

Equation SpanChart::equation(int item) const {
    if (item == goal()) return goal_equation();
    if (item >= node(0) && item < ones()) return node_equation(item - node(0));
    if (item >= ways(0) && item < node(0)) return ways_equation(item - ways(0));
    if (item >= pair(0) && item < ways(0)) return pair_equation(item - pair(0));
    return {item, 0, 0, 0};
}

}  // namespace arbora
