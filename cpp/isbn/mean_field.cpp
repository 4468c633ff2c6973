#include "isbn/mean_field.hpp"

#include <algorithm>
#include <cmath>

#include "isbn/vectors.hpp"

namespace arbora::isbn {
namespace {

constexpr double tolerance = 1e-9;        // of derivatives of L
constexpr double solve_tolerance = 1e-9;  // of a linear system, relative

int total_count(std::span<const Choice> choices) {
    int total = 0;
    for (const Choice& choice : choices) total += choice.count;
    return total;
}

double entropy_of(double mean) {
    return mean > 0 && mean < 1 ? -mean * std::log(mean) - (1 - mean) * std::log1p(-mean) : 0;
}

// (D + M) v = g with D = 1 / s and M = sum_k W_k' (diag p - p p') W_k, by conjugate gradients on y = s^-1/2 v: what is
// solved then is the identity and a matrix of low rank, and s = 0 does no harm.
class Curvature {
public:
    // The probabilities of all choices at the means must be there, one choice after the other.
    Curvature(std::span<const Choice> choices, int width, const double* means, const double* p, double* scores,
              double* vectors)
        : choices_(choices), width_(width), p_(p), scores_(scores), roots_(vectors), work_(vectors + width) {
        for (int i = 0; i < width; ++i) roots_[i] = std::sqrt(std::max(0.0, means[i] * (1 - means[i])));
    }
    static constexpr int vectors = 5;

    // result += M v.
    void add_product(const double* v, double* result) {
        const double* p = p_;
        for (const Choice& choice : choices_) {
            multiply_rows(choice.rows, nullptr, choice.count, width_, v, scores_);
            const double mean = dot_product(p, scores_, choice.count);
            for (int r = 0; r < choice.count; ++r) scores_[r] = p[r] * (scores_[r] - mean);
            add_rows(choice.rows, scores_, choice.count, width_, result);
            p += choice.count;
        }
    }

    // v, up to a residual that is so small relative to g.
    void solve(const double* g, double relative, double* v) {
        double *y = work_, *residual = y + width_, *direction = residual + width_, *product = direction + width_;
        double norm = 0;
        for (int i = 0; i < width_; ++i) {
            y[i] = 0;
            direction[i] = residual[i] = roots_[i] * g[i];
            norm += residual[i] * residual[i];
        }
        const double enough = norm * relative * relative;
        for (int step = 0; step < 2 * width_ && norm > enough; ++step) {
            for (int i = 0; i < width_; ++i) v[i] = roots_[i] * direction[i];
            std::fill_n(product, width_, 0.0);
            add_product(v, product);
            for (int i = 0; i < width_; ++i) product[i] = direction[i] + roots_[i] * product[i];
            const double alpha = norm / dot_product(direction, product, width_);
            add_multiple(alpha, direction, width_, y);
            add_multiple(-alpha, product, width_, residual);
            const double next = dot_product(residual, residual, width_);
            for (int i = 0; i < width_; ++i) direction[i] = residual[i] + next / norm * direction[i];
            norm = next;
        }
        for (int i = 0; i < width_; ++i) v[i] = roots_[i] * y[i];
    }

private:
    std::span<const Choice> choices_;
    int width_;
    const double* p_;
    double *scores_, *roots_, *work_;
};

// The part of L that choices make, with their probabilities; -inf cannot be.
double choice_bound(std::span<const Choice> choices, const double* means, int width, double* p) {
    double bound = 0;
    for (const Choice& choice : choices) {
        const double total = probabilities(choice, means, width, p);
        bound += dot_product(choice.rows + static_cast<std::ptrdiff_t>(choice.chosen) * width, means, width) +
                 choice.biases[choice.chosen] - total;
        p += choice.count;
    }
    return bound;
}

// The part of L that the variables make, at the means that belong to logits: their entropy is ln (1 + exp x) - m x.
double state_bound(const double* eta, int width, const double* logits, double* means) {
    double bound = squash(logits, width, means);
    for (int i = 0; i < width; ++i) bound += means[i] * (eta[i] - logits[i]);
    return bound;
}

// eta + sum_k (W_k[d_k] - E_k[W_k]): what the logits of the means should be.
void target_logits(std::span<const Choice> choices, const double* eta, int width, const double* p, double* scratch,
                   double* result) {
    std::copy_n(eta, width, result);
    for (const Choice& choice : choices) {
        for (int r = 0; r < choice.count; ++r) scratch[r] = -p[r];
        scratch[choice.chosen] += 1;
        add_rows(choice.rows, scratch, choice.count, width, result);
        p += choice.count;
    }
}

int ascend_by_newton(std::span<const Choice> choices, const double* eta, int width, double* x, double* means,
                     MeanFieldScratch& scratch) {
    constexpr int most_steps = 200;
    double *p = scratch.probabilities.data(), *scores = scratch.scores.data(), *room = scratch.vectors.data();
    double *force = room, *step = force + width, *trial = step + width, *work = trial + width;
    const auto bound_at = [&](const double* logits) {
        const double own = state_bound(eta, width, logits, means);
        return own + choice_bound(choices, means, width, p);
    };
    double bound = bound_at(x);
    for (int steps = 0;; ++steps) {
        target_logits(choices, eta, width, p, scores, force);
        double most = 0;
        for (int i = 0; i < width; ++i) most = std::max(most, std::abs(force[i] -= x[i]));
        if (most <= tolerance || steps == most_steps) return steps;
        Curvature curvature(choices, width, means, p, scores, work);
        curvature.solve(force, std::min(0.1, most), trial);
        // Along logits, not means: these stay within (0, 1) then. D v = force - M v.
        std::fill_n(step, width, 0.0);
        curvature.add_product(trial, step);
        for (int i = 0; i < width; ++i) step[i] = force[i] - step[i];
        const double slope = dot_product(force, trial, width);
        double length = 1, found = 0;
        for (;; length /= 2) {
            for (int i = 0; i < width; ++i) trial[i] = x[i] + length * step[i];
            found = bound_at(trial);
            if (found >= bound + 1e-4 * length * slope - 1e-12 * std::abs(bound) || length < 1e-9) break;
        }
        std::copy_n(trial, width, x);
        bound = found;
    }
}

// One mean after the other, each to where its derivative vanishes: it falls from +inf to -inf on (0, 1).
int ascend_by_coordinates(std::span<const Choice> choices, const double* eta, int width, double* logits, double* means,
                          MeanFieldScratch& scratch) {
    constexpr int most_rounds = 100000;
    double *p = scratch.probabilities.data(), *scores = scratch.scores.data(), *target = scratch.vectors.data();
    squash(logits, width, means);
    for (int round = 1; round <= most_rounds; ++round) {
        double change = 0;
        for (int i = 0; i < width; ++i) {
            double low = -800, high = 800;
            const double before = means[i];
            while (high - low > 1e-14 * std::max(1.0, std::abs(low))) {
                const double x = (low + high) / 2;
                if (x == low || x == high) break;
                squash(&x, 1, means + i);
                logits[i] = x;
                choice_bound(choices, means, width, p);
                target_logits(choices, eta, width, p, scores, target);
                (target[i] > x ? low : high) = x;
            }
            change = std::max(change, std::abs(means[i] - before));
        }
        if (change < 1e-13) return round;
    }
    return most_rounds;
}

void make_room(std::span<const Choice> choices, int width, MeanFieldScratch& scratch) {
    const auto total = static_cast<std::size_t>(total_count(choices));
    if (scratch.probabilities.size() < total) scratch.probabilities.resize(total);
    if (scratch.scores.size() < total) scratch.scores.resize(total);
    const auto room = static_cast<std::size_t>(width) * (4 + Curvature::vectors);
    if (scratch.vectors.size() < room) scratch.vectors.resize(room);
}

}  // namespace

double probabilities(const Choice& choice, const double* means, int width, double* result) {
    multiply_rows(choice.rows, choice.biases, choice.count, width, means, result);
    for (int r = 0; r < std::min(choice.count, 32); ++r)
        if (!choice.is_legal(r)) result[r] = -INFINITY;
    return normalise(result, choice.count);
}

double lower_bound(std::span<const Choice> choices, const double* eta, int width, const double* means) {
    double bound = 0;
    for (int i = 0; i < width; ++i) {
        if (!(means[i] >= 0 && means[i] <= 1)) return -INFINITY;
        bound += entropy_of(means[i]) + means[i] * eta[i];
    }
    std::vector<double> p(total_count(choices));
    return bound + choice_bound(choices, means, width, p.data());
}

int maximise(std::span<const Choice> choices, const double* eta, int width, Ascent ascent, double* logits,
             double* means, MeanFieldScratch& scratch) {
    if (choices.empty()) {
        std::copy_n(eta, width, logits);
        squash(logits, width, means);
        return 0;
    }
    make_room(choices, width, scratch);
    return ascent == Ascent::newton ? ascend_by_newton(choices, eta, width, logits, means, scratch)
                                    : ascend_by_coordinates(choices, eta, width, logits, means, scratch);
}

void solve_hessian(std::span<const Choice> choices, int width, const double* means, const double* g, double* x,
                   MeanFieldScratch& scratch) {
    if (choices.empty()) {
        for (int i = 0; i < width; ++i) x[i] = means[i] * (1 - means[i]) * g[i];
        return;
    }
    make_room(choices, width, scratch);
    choice_bound(choices, means, width, scratch.probabilities.data());
    Curvature(choices, width, means, scratch.probabilities.data(), scratch.scores.data(), scratch.vectors.data())
        .solve(g, solve_tolerance, x);
}

}  // namespace arbora::isbn
