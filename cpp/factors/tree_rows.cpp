#include "factors/tree_rows.hpp"

#include <cmath>

#include "charts/algorithms.hpp"
#include "charts/eisner.hpp"

namespace arbora {
namespace {

using Terms = std::vector<Polytope::Term>;

// Every word has one head, and a single root one child.
void add_heads(const CandidateArcs& arcs, Polytope& rows) {
    std::vector<Terms> into(arcs.words() + 1);
    Terms from_root;
    for (int port = 0; port < arcs.count(); ++port) {
        into[arcs.modifier(port)].emplace_back(port, 1.0);
        if (arcs.head(port) == 0) from_root.emplace_back(port, 1.0);
    }
    for (int m = 1; m <= arcs.words(); ++m) rows.add_row(1, 1, into[m]);
    if (arcs.single_root()) rows.add_row(1, 1, from_root);
}

// A flow over the arcs, which carry no more than their value: what arrives at a word less what leaves it.
// consumed(word) is how much of it stays there; arcs that leave `sink` carry none.
template <class Consumed>
void add_flow(const CandidateArcs& arcs, Consumed consumed, int sink, Polytope& rows) {
    std::vector<Terms> balance(arcs.words() + 1);
    for (int port = 0; port < arcs.count(); ++port) {
        if (arcs.head(port) == sink) continue;
        const int flow = rows.new_column();
        rows.add_row(0, Polytope::unbounded, {{port, 1.0}, {flow, -1.0}});
        balance[arcs.modifier(port)].emplace_back(flow, 1.0);
        balance[arcs.head(port)].emplace_back(flow, -1.0);
    }
    for (int word = 1; word <= arcs.words(); ++word) rows.add_row(consumed(word), consumed(word), balance[word]);
}

}  // namespace

void add_tree_rows(const CandidateArcs& arcs, TreeRows kind, Polytope& rows) {
    add_heads(arcs, rows);
    const int words = arcs.words();
    if (kind == TreeRows::single_commodity)  // in units of all that the root sends out
        add_flow(arcs, [=](int) { return 1.0 / words; }, -1, rows);
    if (kind == TreeRows::multi_commodity)
        for (int sink = 1; sink <= words; ++sink)
            add_flow(arcs, [=](int word) { return word == sink ? 1.0 : 0.0; }, sink, rows);
}

// An item is made as often as it is used, the goal once, an arc as often as its port says. (Martin, Rardin & Campbell
// 1990: such a flow is a mixture of derivations.) Edges that no derivation over the arcs has get no column.
void add_projective_rows(const CandidateArcs& arcs, Polytope& rows) {
    const int n = arcs.words(), width = n + 1;
    const EisnerChart chart(n, arcs.single_root());
    std::vector<double> scores(static_cast<std::size_t>(width) * width, impossible);
    for (int port = 0; port < arcs.count(); ++port) scores[chart.arc(arcs.head(port), arcs.modifier(port))] = 0;
    std::vector<double> below(chart.item_count()), around(chart.item_count());
    chart.set_leaves<MaxSemiring>({scores.data(), n}, below.data());
    inside<MaxSemiring>(chart, below.data());
    outside<MaxSemiring>(chart, below.data(), around.data());

    std::vector<Terms> balance(chart.item_count());
    std::vector<int> items;
    chart.top_down([&](const Equation& e) {
        if (around[e.item] == impossible && (e.mirror < 0 || around[e.mirror] == impossible)) return;
        items.push_back(e.item);
        for (int k = 0; k < e.count; ++k) {
            if (below[e.left + k] == impossible || below[e.right + k] == impossible) continue;
            const int edge = rows.new_column();
            balance[e.item].emplace_back(edge, 1.0);
            for (int operand : {e.left + k, e.right + k})
                balance[chart.equation(operand).item].emplace_back(edge, -1.0);
        }
    });
    for (int item : items) {
        const double made = item == chart.goal() ? 1 : 0;
        rows.add_row(made, made, balance[item]);
    }
    for (int port = 0; port < arcs.count(); ++port) {
        Terms& uses = balance[chart.arc(arcs.head(port), arcs.modifier(port))];
        uses.emplace_back(port, 1.0);
        rows.add_row(0, 0, uses);
    }
}

}  // namespace arbora
