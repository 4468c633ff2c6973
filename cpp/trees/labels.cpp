#include "trees/labels.hpp"

#include <algorithm>
#include <cmath>

#include "support/exponential.hpp"

namespace arbora {
namespace {

std::size_t cell_count(LabelledScores scores) { return static_cast<std::size_t>(scores.n + 1) * (scores.n + 1); }

}  // namespace

void max_over_labels(LabelledScores scores, double* arcs) {
    for (std::size_t c = 0; c < cell_count(scores); ++c) {
        const double* cell = scores.data + c * scores.labels;
        arcs[c] = *std::max_element(cell, cell + scores.labels);
    }
}

void sum_over_labels(LabelledScores scores, double* arcs) {
    for (std::size_t c = 0; c < cell_count(scores); ++c) {
        const double* cell = scores.data + c * scores.labels;
        const double best = *std::max_element(cell, cell + scores.labels);
        double total = 0;
        for (int l = 0; l < scores.labels; ++l) total += exp_bounded(cell[l] - best);
        arcs[c] = best == impossible ? impossible : best + std::log(total);
    }
}

int best_label(const double* cell, int labels) {
    return static_cast<int>(std::max_element(cell, cell + labels) - cell);
}

int sample_label(const double* cell, int labels, double log_sum, Random& random) {
    double left = random.uniform();
    int last = 0;
    for (int l = 0; l < labels; ++l) {
        const double p = exp_bounded(cell[l] - log_sum);
        if (p == 0) continue;
        last = l;
        if ((left -= p) < 0) break;
    }
    return last;
}

void share_among_labels(LabelledScores scores, const double* arcs, const double* marginals, double* result) {
    for (std::size_t c = 0; c < cell_count(scores); ++c) {
        const double* cell = scores.data + c * scores.labels;
        double* shares = result + c * scores.labels;
        for (int l = 0; l < scores.labels; ++l)
            shares[l] = marginals[c] == 0 ? 0 : std::min(marginals[c] * exp_bounded(cell[l] - arcs[c]), 1.0);
    }
}

double label_entropy(const double* cell, int labels, double log_sum) {
    double entropy = 0;
    for (int l = 0; l < labels; ++l) {
        const double log_p = cell[l] - log_sum;
        if (log_p < 0 && log_p > -700) entropy -= log_p * exp_bounded(log_p);
    }
    return entropy;
}

void complement_among_labels(LabelledScores scores, const double* arcs, const double* marginals,
                             const double* complements, double* result) {
    for (std::size_t c = 0; c < cell_count(scores); ++c) {
        const double* cell = scores.data + c * scores.labels;
        double* shares = result + c * scores.labels;
        int likely = -1;
        double others = 0;
        for (int l = 0; l < scores.labels; ++l) {
            const double p = marginals[c] == 0 ? 0 : exp_bounded(cell[l] - arcs[c]);
            if (p > 0.5 && likely < 0) {
                likely = l;
                continue;
            }
            others += p;
            shares[l] = std::min(complements[c] + marginals[c] * (1 - p), 1.0);
        }
        if (likely >= 0) shares[likely] = std::min(complements[c] + marginals[c] * others, 1.0);
    }
}

}  // namespace arbora
