#include "factors/cuts.hpp"

#include <algorithm>
#include <set>

namespace arbora {
namespace {

// Flows over the arcs from the root, by shortest augmenting paths (Edmonds & Karp 1972). Values of a linear program are
// mostly zeros, so that there are about as many arcs as words, and few paths.
class Flow {
public:
    Flow(const CandidateArcs& arcs, const double* values) : arcs_(arcs), edges_(arcs.words() + 1) {
        for (int port = 0; port < arcs.count(); ++port) {
            if (values[port] <= negligible) continue;
            const int head = arcs.head(port), modifier = arcs.modifier(port);
            edges_[head].push_back(static_cast<int>(ends_.size()));
            ends_.push_back(modifier);
            capacity_.push_back(values[port]);
            edges_[modifier].push_back(static_cast<int>(ends_.size()));
            ends_.push_back(head);
            capacity_.push_back(0);
        }
    }

    // How much flows from the root to the sink, up to `enough`.
    double most(int sink, double enough) {
        left_ = capacity_;
        double total = 0;
        while (total < enough && search(sink)) {
            double least = enough - total;
            for (int v = sink; v != 0; v = ends_[by_[v] ^ 1]) least = std::min(least, left_[by_[v]]);
            for (int v = sink; v != 0; v = ends_[by_[v] ^ 1]) {
                left_[by_[v]] -= least;
                left_[by_[v] ^ 1] += least;
            }
            total += least;
        }
        return total;
    }

    // After that: the words from which the sink could still be reached, and the ports of all arcs into them.
    std::vector<int> entering(int sink) const {
        std::vector<char> inside(arcs_.words() + 1, 0);
        std::vector<int> stack{sink};
        inside[sink] = 1;
        while (!stack.empty()) {
            const int v = stack.back();
            stack.pop_back();
            for (int edge : edges_[v]) {
                const int u = ends_[edge];
                if (inside[u] || left_[edge ^ 1] <= negligible) continue;
                inside[u] = 1;
                stack.push_back(u);
            }
        }
        std::vector<int> ports;
        for (int port = 0; port < arcs_.count(); ++port)
            if (inside[arcs_.modifier(port)] && !inside[arcs_.head(port)]) ports.push_back(port);
        return ports;
    }

private:
    static constexpr double negligible = 1e-12;

    // Breadth first; by_[v] is the edge by which v was reached.
    bool search(int sink) {
        by_.assign(edges_.size(), -1);
        queue_.assign(1, 0);
        for (std::size_t next = 0; next < queue_.size() && by_[sink] < 0; ++next)
            for (int edge : edges_[queue_[next]]) {
                const int v = ends_[edge];
                if (v == 0 || by_[v] >= 0 || left_[edge] <= negligible) continue;
                by_[v] = edge;
                queue_.push_back(v);
            }
        return by_[sink] >= 0;
    }

    const CandidateArcs& arcs_;
    std::vector<std::vector<int>> edges_;  // of a node; edge ^ 1 is the reverse of an edge
    std::vector<int> ends_, by_, queue_;
    std::vector<double> capacity_, left_;
};

}  // namespace

std::vector<std::vector<int>> violated_cuts(const CandidateArcs& arcs, const double* values, double tolerance) {
    std::set<std::vector<int>> cuts;
    Flow flow(arcs, values);
    for (int sink = 1; sink <= arcs.words(); ++sink)
        if (flow.most(sink, 1) < 1 - tolerance) cuts.insert(flow.entering(sink));
    return {cuts.begin(), cuts.end()};
}

}  // namespace arbora
