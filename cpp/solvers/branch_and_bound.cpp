#include "solvers/branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>

#include "solvers/fixing.hpp"
#include "solvers/incumbent.hpp"

namespace arbora {
namespace {

// Of AD3 below the first node: a bound that is nearly right serves there.
constexpr int most_node_iterations = 200;

struct Node {
    double bound;
    std::vector<Decision> decisions;
    std::shared_ptr<const Multipliers> multipliers;
};

struct IsLessPromising {
    // Of nodes with the same bound, the one with more decisions is nearer to an end.
    bool operator()(const Node& a, const Node& b) const {
        return a.bound != b.bound ? a.bound < b.bound : a.decisions.size() < b.decisions.size();
    }
};

class BranchAndBound {
public:
    BranchAndBound(const FactorGraph& graph, const BoundingSolver& solve, int nodes, const Assignment& known)
        : graph_(graph), solve_(solve), most_nodes_(nodes) {
        if (known.empty()) return;
        result_.value = graph.value(known, arena_);
        if (result_.value != -INFINITY) result_.assignment = known;
    }

    Outcome run() {
        open_.push({INFINITY, {}, std::make_shared<Multipliers>()});
        for (int node = 0; node < most_nodes_ && !open_.empty(); ++node) {
            const Node next = open_.top();
            if (is_closed(next.bound)) break;
            open_.pop();
            visit(next);
            result_.residuals.push_back(static_cast<double>(open_.size()));
            result_.values.push_back(bound());
        }
        report();
        return std::move(result_);
    }

private:
    bool is_closed(double bound) const { return is_certificate(result_.value, bound); }
    double bound() const { return open_.empty() ? result_.value : std::max(result_.value, open_.top().bound); }

    void visit(const Node& node) {
        const FactorGraph graph = decided(graph_, node.decisions);
        auto multipliers = std::make_shared<Multipliers>(*node.multipliers);
        const Outcome found = solve_(graph, cutoff(), *multipliers);
        count(found);
        if (found.infeasible) return;
        if (found.value > result_.value) {
            result_.value = found.value;
            result_.assignment = found.assignment;
        }
        if (node.decisions.empty()) result_.beliefs = found.beliefs;
        const double bound = std::min(node.bound, found.upper_bound);
        if (is_closed(bound)) return;
        std::vector<Decision> decisions = node.decisions;
        const std::vector<Decision> fixed = find_fixed(graph, *multipliers, cutoff());
        decisions.insert(decisions.end(), fixed.begin(), fixed.end());
        const int slot = most_undecided(decided(graph_, decisions), found.beliefs);
        if (slot < 0 && fixed.empty()) return;  // an assignment without alternative, which is known by now
        if (slot < 0) {                         // one that nobody has looked at
            open_.push({bound, std::move(decisions), multipliers});
            return;
        }
        for (bool is_true : {false, true}) {
            Node child{bound, decisions, multipliers};
            child.decisions.push_back({slot, is_true});
            open_.push(std::move(child));
        }
    }

    // Values up to this are as good as known; -inf as long as there is none.
    double cutoff() const {
        if (result_.value == -INFINITY) return -INFINITY;
        return result_.value + certificate_tolerance * (1 + std::abs(result_.value));
    }

    // The slot whose belief is nearest to a half; -1 if everything is decided.
    int most_undecided(const FactorGraph& graph, const std::vector<double>& beliefs) const {
        int found = -1;
        double nearest = INFINITY;
        for (int v = 0; v < graph.variables().count(); ++v) {
            if (is_decided(graph, v)) continue;
            const int first = graph.variables().first(v);
            for (int slot = first; slot < first + graph.variables().size(v); ++slot) {
                const double distance = std::abs(beliefs[slot] - 0.5);
                if (!std::isfinite(graph.unary(slot)) || distance >= nearest) continue;
                nearest = distance;
                found = slot;
            }
        }
        return found;
    }

    void count(const Outcome& found) {
        result_.iterations += found.iterations;
        const auto add = [](auto& total, const auto& more) {
            total.resize(std::max(total.size(), more.size()));
            for (std::size_t i = 0; i < more.size(); ++i) total[i] += more[i];
        };
        add(result_.calls, found.calls);
        add(result_.skipped, found.skipped);
        add(result_.seconds, found.seconds);
    }

    void report() {
        result_.upper_bound = bound();
        result_.converged = open_.empty() || is_closed(open_.top().bound);
        result_.infeasible = result_.converged && result_.value == -INFINITY;
        if (result_.beliefs.empty()) result_.beliefs.assign(graph_.slots(), 0.0);
        if (!result_.converged || result_.infeasible) return;
        std::copy(result_.assignment.begin(), result_.assignment.end(), result_.beliefs.begin());
        result_.parts = parts_of(graph_, result_.assignment, arena_);
    }

    const FactorGraph& graph_;
    const BoundingSolver& solve_;
    const int most_nodes_;
    std::priority_queue<Node, std::vector<Node>, IsLessPromising> open_;
    Outcome result_;
    Arena arena_;
};

}  // namespace

Outcome branch_and_bound(const FactorGraph& graph, const BoundingSolver& solve, int nodes, const Assignment& known) {
    return BranchAndBound(graph, solve, nodes, known).run();
}

Outcome exact_ad3(const FactorGraph& graph, const Ad3Options& options, int nodes, const Assignment& known) {
    const BoundingSolver solve = [&](const FactorGraph& node, double cutoff, Multipliers& multipliers) {
        Ad3Options own = options;
        if (!multipliers.empty()) own.iterations = std::min(own.iterations, most_node_iterations);
        own.cutoff = cutoff;
        return ad3(node, own, &multipliers);
    };
    return branch_and_bound(graph, solve, nodes, known);
}

}  // namespace arbora
