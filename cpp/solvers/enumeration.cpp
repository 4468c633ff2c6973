#include "solvers/enumeration.hpp"
#include "support/interruption.hpp"

#include <cmath>
#include <stdexcept>

namespace arbora {
namespace {

// Sums of exp(log weight) * values, kept relative to the highest weight so far.
class Expectations {
public:
    Expectations(std::size_t slots, const std::vector<std::size_t>& parts) : beliefs(slots, 0.0) {
        for (std::size_t count : parts) this->parts.emplace_back(count, 0.0);
    }

    // The weight of the next assignment, relative to the highest one.
    double open(double log_weight) {
        if (log_weight > highest_) {
            const double shrink = std::exp(highest_ - log_weight);
            highest_ = log_weight;
            total_ *= shrink;
            for (double& belief : beliefs) belief *= shrink;
            for (auto& group : parts)
                for (double& part : group) part *= shrink;
        }
        const double weight = std::exp(log_weight - highest_);
        total_ += weight;
        return weight;
    }

    void finish() {
        for (double& belief : beliefs) belief /= total_;
        for (auto& group : parts)
            for (double& part : group) part /= total_;
    }

    double log_partition() const { return highest_ + std::log(total_); }

    std::vector<double> beliefs;
    std::vector<std::vector<double>> parts;

private:
    double highest_ = -INFINITY, total_ = 0;
};

class Enumeration {
public:
    explicit Enumeration(const FactorGraph& graph)
        : graph_(graph), assignment_(graph.slots(), 0), expectations_(graph.slots(), part_counts(graph)) {
        for (const auto& group : graph.groups()) part_space_.emplace_back(group->part_scores().size());
    }

    double count() const {
        double result = 1;
        for (int v = 0; v < graph_.variables().count(); ++v) {
            const int values = graph_.variables().is_category(v) ? graph_.variables().size(v) : 2;
            result *= graph_.is_clamped(v) ? 1 : values;
        }
        return result;
    }

    Outcome run() {
        visit(0);
        Outcome outcome;
        outcome.infeasible = outcome_value_ == -INFINITY;
        outcome.converged = true;
        if (outcome.infeasible) {
            outcome.beliefs.assign(graph_.slots(), 0.0);
            outcome.log_partition = outcome.upper_bound = -INFINITY;
            return outcome;
        }
        expectations_.finish();
        outcome.beliefs = std::move(expectations_.beliefs);
        outcome.parts = std::move(expectations_.parts);
        outcome.assignment = best_;
        outcome.value = outcome.upper_bound = outcome_value_;
        outcome.log_partition = expectations_.log_partition();
        return outcome;
    }

private:
    static std::vector<std::size_t> part_counts(const FactorGraph& graph) {
        std::vector<std::size_t> result;
        for (const auto& group : graph.groups()) result.push_back(group->part_scores().size());
        return result;
    }

    void visit(int variable) {
        const Variables& variables = graph_.variables();
        if (variable == variables.count()) return count_assignment();
        const int first = variables.first(variable), known = graph_.evidence(variable);
        const bool is_category = variables.is_category(variable);
        const int values = is_category ? variables.size(variable) : 2;
        for (int value = 0; value < values; ++value) {
            if (known >= 0 && value != known) continue;
            const int slot = is_category ? first + value : first;
            const bool is_true = is_category || value;
            if (is_true && graph_.score(slot) == -INFINITY) continue;
            assignment_[slot] = is_true;
            visit(variable + 1);
            assignment_[slot] = 0;
        }
    }

    void count_assignment() {
        Interruption::heed();
        const double value = graph_.value(assignment_, arena_);
        if (value == -INFINITY) return;
        if (value > outcome_value_) {
            outcome_value_ = value;
            best_ = assignment_;
        }
        double log_weight = 0;
        for (int slot = 0; slot < graph_.slots(); ++slot)
            if (assignment_[slot]) log_weight += graph_.score(slot);
        for (std::size_t g = 0; g < graph_.groups().size(); ++g) log_weight += sum_group(g);
        const double weight = expectations_.open(log_weight);
        for (int slot = 0; slot < graph_.slots(); ++slot)
            if (assignment_[slot]) expectations_.beliefs[slot] += weight;
        for (std::size_t g = 0; g < part_space_.size(); ++g)
            for (std::size_t part = 0; part < part_space_[g].size(); ++part)
                expectations_.parts[g][part] += weight * part_space_[g][part];
    }

    // Log of the sum over the configurations that fit the assignment (automata have several), and their parts.
    double sum_group(std::size_t g) {
        const FactorGroup& group = *graph_.groups()[g];
        const Wiring& wiring = group.wiring();
        double total = 0;
        for (std::size_t factor = 0; factor < group.size(); ++factor) {
            const Arena::Frame frame(arena_);
            const int ports = wiring.port_count(factor);
            double* in = arena_.take<double>(ports);
            double* beliefs = arena_.take<double>(ports);
            const std::size_t begin = wiring.port_begin(factor);
            for (std::size_t input = wiring.input_begin(factor); input < wiring.input_end(factor); ++input)
                for (int i = 0; i < wiring.input_size(input); ++i) {
                    const std::size_t port = wiring.input_port(input) + i;
                    const bool is_true = static_cast<bool>(assignment_[wiring.slot(port)]) != wiring.is_negated(port);
                    in[port - begin] = !is_true ? -INFINITY : wiring.is_category(input) ? 0 : INFINITY;
                }
            total += group.sum(factor, in, beliefs, part_space_[g].data() + group.part_begin(factor), arena_);
        }
        return total;
    }

    const FactorGraph& graph_;
    Arena arena_;
    Assignment assignment_, best_;
    double outcome_value_ = -INFINITY;
    Expectations expectations_;
    std::vector<std::vector<double>> part_space_;
};

}  // namespace

Outcome enumerate(const FactorGraph& graph, double most) {
    Enumeration enumeration(graph);
    if (enumeration.count() > most) throw std::invalid_argument("too many assignments to go through all of them");
    return enumeration.run();
}

}  // namespace arbora
