#include "solvers/dual_decomposition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "solvers/incumbent.hpp"

namespace arbora {
namespace {

constexpr double least_hope = 1e-8;  // of a lower bound, relative to it

class DualDecomposition {
public:
    DualDecomposition(const FactorGraph& graph, const DualDecompositionOptions& options)
        : options_(options),
          copies_(graph),
          decoding_(copies_, copies_.shares(options.beta)),
          incumbent_(copies_, options.derive),
          outside_(copies_.outside()),
          typical_(copies_.typical_score()),
          mean_sums_(graph.slots(), 0.0),
          means_(graph.slots(), 0.0),
          mean_since_(graph.slots(), 0) {
        if (options_.wants_parts) watch_parts();
        for (int slot = 0; slot < graph.slots(); ++slot)
            if (copies_.degree(slot)) means_[slot] = decoding_.mean(slot);
    }

    Outcome run() {
        outcome_.infeasible = outside_ == -INFINITY;
        while (!outcome_.infeasible && outcome_.iterations < options_.iterations) {
            ++outcome_.iterations;
            if (std::has_single_bit(static_cast<unsigned>(outcome_.iterations)) &&
                2 * outcome_.iterations <= options_.iterations)
                forget_means();
            if (!decode() || outcome_.converged || decoding_.disagreeing().empty()) break;
            update_multipliers();
            if (outcome_.converged) break;
        }
        report();
        return std::move(outcome_);
    }

private:
    // Solves the factors; false if nothing more can come of it.
    bool decode() {
        if (!decoding_.solve(options_.lazy, outcome_)) {
            outcome_.infeasible = true;
            return false;
        }
        dual_ = outside_ + decoding_.total();
        if (!std::isfinite(dual_)) return false;
        outcome_.upper_bound = std::min(outcome_.upper_bound, dual_);
        outcome_.residuals.push_back(static_cast<double>(decoding_.disagreeing().size()));
        outcome_.values.push_back(dual_);
        for (int slot : decoding_.touched()) update_mean(slot, outcome_.iterations - 1);
        look_for_assignment();
        outcome_.converged = is_certificate(incumbent_.value(), outcome_.upper_bound);
        return true;
    }

    void look_for_assignment() {
        incumbent_.consider(decoding_);
        const bool is_due = outcome_.iterations <= 8 || outcome_.iterations % 16 == 0;
        if (!incumbent_.is_candidate_possible() && is_due) incumbent_.repair(preferences());
    }

    void update_multipliers() {
        if (outcome_.iterations == 1) {
            const double gap = dual_ - incumbent_.value();
            steps_ = Steps(options_.steps, std::isfinite(gap) ? gap : typical_, dual_);
        }
        const double alpha = steps_.next(dual_, outcome_.upper_bound, incumbent_.value(), square_of_subgradient());
        for (int slot : decoding_.disagreeing()) {
            const double mean = decoding_.mean(slot);
            for (int port : copies_.ports_of(slot)) decoding_.add(port, 2 * alpha * (mean - decoding_.is_true(port)));
        }
        outcome_.converged = !steps_.has_hope(least_hope * (1 + std::abs(outcome_.upper_bound)));
    }

    // The sum of (z - mean z)^2 over all copies.
    double square_of_subgradient() const {
        double square = 0;
        for (int slot : decoding_.disagreeing())
            square += decoding_.mean(slot) * (copies_.degree(slot) - decoding_.count_true(slot));
        return square;
    }

    // What most copies say, and the unary scores.
    std::vector<double> preferences() const {
        std::vector<double> result(copies_.graph().slots(), 0.0);
        for (int slot = 0; slot < copies_.graph().slots(); ++slot) {
            if (!copies_.is_free(slot) || !copies_.degree(slot)) continue;
            const int structure = copies_.structure_port(slot);
            const double mean = structure >= 0 ? decoding_.is_true(structure) : decoding_.mean(slot);
            result[slot] = copies_.graph().unary(slot) + 2 * typical_ * (2 * mean - 1);
        }
        return result;
    }

    // Counts the mean that a slot's copies had up to the end of iteration `until`. Only slots that change need that.
    void update_mean(int slot, int until) {
        mean_sums_[slot] += means_[slot] * (until - mean_since_[slot]);
        mean_since_[slot] = until;
        means_[slot] = decoding_.mean(slot);
    }

    // The same for parts, factor by factor.
    void watch_parts() {
        for (const auto& group : copies_.graph().groups()) part_sums_.emplace_back(group->part_scores().size(), 0.0);
        part_since_.assign(copies_.factors(), 0);
        decoding_.when_changing([this](int factor, const std::vector<int>& active) {
            count_parts(factor, active, outcome_.iterations - 1);
        });
    }
    void count_parts(int factor, const std::vector<int>& active, int until) {
        const FactorGroup& group = copies_.group(factor);
        const std::size_t number = copies_.number_in_group(factor);
        std::vector<double>& sums = part_sums_[copies_.group_of(factor)];
        if (!sums.empty() && until > part_since_[factor])
            group.add_parts(number, active, until - part_since_[factor], sums.data() + group.part_begin(number),
                            arena_);
        part_since_[factor] = until;
    }

    // Means begin anew, so that early iterations do not count for ever.
    void forget_means() {
        first_counted_ = outcome_.iterations - 1;
        std::fill(mean_sums_.begin(), mean_sums_.end(), 0.0);
        std::fill(mean_since_.begin(), mean_since_.end(), first_counted_);
        for (auto& sums : part_sums_) std::fill(sums.begin(), sums.end(), 0.0);
        std::fill(part_since_.begin(), part_since_.end(), first_counted_);
    }

    void report() {
        const FactorGraph& graph = copies_.graph();
        if (!is_certificate(incumbent_.value(), outcome_.upper_bound)) incumbent_.improve();
        outcome_.value = incumbent_.value();
        outcome_.assignment = incumbent_.assignment();
        outcome_.beliefs.assign(graph.slots(), 0.0);
        if (outcome_.infeasible) {
            outcome_.upper_bound = -INFINITY;
            outcome_.converged = true;
        } else if (is_certificate(outcome_.value, outcome_.upper_bound)) {
            outcome_.converged = true;
            std::copy(outcome_.assignment.begin(), outcome_.assignment.end(), outcome_.beliefs.begin());
            outcome_.parts = parts_of(graph, outcome_.assignment, arena_);
        } else {
            report_means();
        }
    }

    void report_means() {
        const FactorGraph& graph = copies_.graph();
        Assignment alone(graph.slots(), 0);
        for (int v = 0; v < graph.variables().count(); ++v) decide_alone(graph, v, alone);
        for (int slot = 0; slot < graph.slots(); ++slot) {
            if (!copies_.degree(slot) || !copies_.is_free(slot)) {
                outcome_.beliefs[slot] = alone[slot];
                continue;
            }
            update_mean(slot, outcome_.iterations);
            outcome_.beliefs[slot] = mean_sums_[slot] / std::max(outcome_.iterations - first_counted_, 1);
        }
        if (!options_.wants_parts) return;
        for (int factor = 0; factor < copies_.factors(); ++factor)
            count_parts(factor, decoding_.active(factor), outcome_.iterations);
        for (auto& sums : part_sums_)
            for (double& sum : sums) sum /= std::max(outcome_.iterations - first_counted_, 1);
        outcome_.parts = std::move(part_sums_);
    }

    const DualDecompositionOptions options_;
    const Copies copies_;
    Decoding decoding_;
    Incumbent incumbent_;
    const double outside_, typical_;
    double dual_ = 0;
    Steps steps_{DualStepRule::level, 0, 0};
    std::vector<double> mean_sums_, means_;
    std::vector<std::vector<double>> part_sums_;
    std::vector<int> mean_since_, part_since_;
    int first_counted_ = 0;  // of the means, how many iterations were before
    Outcome outcome_;
    Arena arena_;
};

}  // namespace

Outcome dual_decomposition(const FactorGraph& graph, const DualDecompositionOptions& options) {
    return DualDecomposition(graph, options).run();
}

}  // namespace arbora
