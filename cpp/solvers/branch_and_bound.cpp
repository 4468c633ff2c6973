#include "solvers/branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>

#include "solvers/incumbent.hpp"

namespace arbora {
namespace {

// One decision: a slot is true or false. A category whose slot is true is known, one whose slot is false has a value
// less.
struct Decision {
    int slot;
    bool is_true;
};

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
    BranchAndBound(const FactorGraph& graph, const BoundingSolver& solve, int nodes)
        : graph_(graph), solve_(solve), most_nodes_(nodes), variable_of_(graph.slots()) {
        const Variables& variables = graph.variables();
        for (int v = 0; v < variables.count(); ++v)
            std::fill_n(variable_of_.begin() + variables.first(v), variables.size(v), v);
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
        const FactorGraph graph = decided(node.decisions);
        auto multipliers = std::make_shared<Multipliers>(*node.multipliers);
        const double cutoff =
            result_.value + certificate_tolerance * (1 + std::abs(result_.value));  // -inf as long as there is none
        const Outcome found = solve_(graph, std::isnan(cutoff) ? -INFINITY : cutoff, *multipliers);
        count(found);
        if (found.infeasible) return;
        if (found.value > result_.value) {
            result_.value = found.value;
            result_.assignment = found.assignment;
        }
        if (node.decisions.empty()) result_.beliefs = found.beliefs;
        const double bound = std::min(node.bound, found.upper_bound);
        if (is_closed(bound)) return;
        const int slot = most_undecided(graph, found.beliefs);
        if (slot < 0) return;  // an assignment without alternative, which is known by now
        for (bool is_true : {false, true}) {
            Node child{bound, node.decisions, multipliers};
            child.decisions.push_back({slot, is_true});
            open_.push(std::move(child));
        }
    }

    // The graph with decisions made.
    FactorGraph decided(const std::vector<Decision>& decisions) const {
        FactorGraph result = graph_;
        for (const Decision& decision : decisions) {
            const int variable = variable_of_[decision.slot];
            if (!graph_.variables().is_category(variable))
                result.clamp(variable, decision.is_true);
            else if (decision.is_true)
                result.clamp(variable, decision.slot - graph_.variables().first(variable));
            else
                result.set_score(decision.slot, -INFINITY);
        }
        return result;
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

    static bool is_decided(const FactorGraph& graph, int variable) {
        const int first = graph.variables().first(variable), size = graph.variables().size(variable);
        int possible = 0;
        for (int slot = first; slot < first + size; ++slot) possible += std::isfinite(graph.unary(slot));
        return graph.variables().is_category(variable) ? possible <= 1 : possible == 0;
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
    std::vector<int> variable_of_;
    std::priority_queue<Node, std::vector<Node>, IsLessPromising> open_;
    Outcome result_;
    Arena arena_;
};

}  // namespace

Outcome branch_and_bound(const FactorGraph& graph, const BoundingSolver& solve, int nodes) {
    return BranchAndBound(graph, solve, nodes).run();
}

}  // namespace arbora
