#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "factors/graph.hpp"

namespace arbora {

// Sets the variables of an assignment that follow from its others. Whoever knows how, saves a solver from looking for them.
using Derivation = std::function<void(Assignment&)>;

// What a solver found. It has no nan anywhere, whatever the scores.
struct Outcome {
    // For every slot: its probability, or its value in a relaxation, which may be a fraction.
    std::vector<double> beliefs;
    // Of every part of every group, where the solver tells them.
    std::vector<std::vector<double>> parts;
    // The best assignment that was found and its value; empty and -inf if there is none.
    Assignment assignment;
    double value = -std::numeric_limits<double>::infinity();
    // The best assignments in order and their values, where the solver lists them.
    std::vector<Assignment> ranked;
    std::vector<double> ranked_values;
    // No assignment has a higher value; +inf if nothing is known.
    double upper_bound = std::numeric_limits<double>::infinity();
    // Log of the sum over all assignments, as far as the solver estimates it; nan if it does not.
    double log_partition = std::numeric_limits<double>::quiet_NaN();
    // Entropies of the beliefs, where the solver tells them: of every variable; of every factor, by group.
    std::vector<double> variable_entropies;
    std::vector<std::vector<double>> factor_entropies;

    bool converged = false;
    // The solver knows that no assignment satisfies all hard factors.
    bool infeasible = false;
    int iterations = 0;
    // One entry an iteration: how far the parts are from agreement, and the value that the solver goes by.
    std::vector<double> residuals, values;
    // Time spent in the oracles of each group, and how many calls of them were made or saved.
    std::vector<double> seconds;
    std::vector<long long> calls, skipped;
};

// What counts as equal for a certificate: value >= upper_bound - tolerance * (1 + |upper_bound|).
inline constexpr double certificate_tolerance = 1e-9;
inline bool is_certificate(double value, double upper_bound) {
    return std::isfinite(value) && value >= upper_bound - certificate_tolerance * (1 + std::abs(upper_bound));
}

}  // namespace arbora
