#include "isbn/learner.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/interruption.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"
#include "support/vectorise.hpp"

namespace arbora::isbn {
namespace {

// Gradients of a batch are summed in so many places, and these in order: whatever the number of threads.
constexpr int slot_count = 4;

double draw_normal(Random& random) {
    const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Adam's step for some weights.
ARBORA_VECTORISED void update_weights(double rate, double decay, double first, double second, double first_left,
                                      double second_left, const double* gradient, std::size_t count, double* weights,
                                      double* averages, double renewal, double* means, double* squares) {
    ARBORA_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        means[i] = first * means[i] + (1 - first) * gradient[i];
        squares[i] = second * squares[i] + (1 - second) * gradient[i] * gradient[i];
        weights[i] +=
            rate * (means[i] / first_left / (std::sqrt(squares[i] / second_left) + 1e-8) - decay * weights[i]);
        averages[i] += renewal * (weights[i] - averages[i]);
    }
}

}  // namespace

std::vector<double> initial_weights(const Shape& shape, std::uint64_t seed, double scale) {
    std::vector<double> weights(shape.weight_count());
    Random random(seed);
    const auto fill = [&](std::size_t begin, std::size_t end, double deviation) {
        for (std::size_t i = begin; i < end; ++i) weights[i] = deviation * draw_normal(random);
    };
    const std::size_t states = shape.state_weights_at(static_cast<int>(shape.state_relations.size()));
    fill(shape.state_weights_at(0), states, 1 / std::sqrt(shape.width));
    fill(states, shape.decision_biases_at(), scale);
    return weights;
}

double Learner::train(const Shape& shape, Inference inference, std::span<const std::vector<Decision>> corpus,
                      std::span<const int> order, const LearningOptions& options, int threads) {
    gradients_.assign(slot_count, std::vector<double>(weights.size()));
    std::vector<double> totals(slot_count);
    double sum = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += options.batch) {
        const std::size_t count = std::min<std::size_t>(options.batch, order.size() - begin);
        const Network network{shape, weights.data(), inference};
        parallel_for(slot_count, threads, [&](std::size_t slot) {
            DerivationPass pass(shape);
            std::fill(gradients_[slot].begin(), gradients_[slot].end(), 0.0);
            totals[slot] = 0;
            for (std::size_t i = slot; i < count; i += slot_count) {
                Interruption::heed();
                totals[slot] += pass.run_forward(network, corpus[order[begin + i]]);
                pass.add_gradient(network, 1, gradients_[slot].data());
            }
        });
        for (double total : totals) sum += total;
        step(options, count, threads);
    }
    return sum;
}

void Learner::step(const LearningOptions& options, std::size_t derivations, int threads) {
    ++steps;
    constexpr std::size_t piece = 1 << 14;
    const double first_left = 1 - std::pow(options.first, static_cast<double>(steps)),
                 second_left = 1 - std::pow(options.second, static_cast<double>(steps));
    // At first of all steps, later of about the last so many.
    const double renewal = std::max(options.renewal, 1 / (1 + 0.2 * static_cast<double>(steps)));
    parallel_for((weights.size() + piece - 1) / piece, threads, [&](std::size_t number) {
        const std::size_t begin = number * piece, end = std::min(weights.size(), begin + piece);
        double* gradient = gradients_[0].data();
        for (std::size_t i = begin; i < end; ++i) {
            for (int slot = 1; slot < slot_count; ++slot) gradient[i] += gradients_[slot][i];
            gradient[i] /= static_cast<double>(derivations);
        }
        update_weights(options.rate, options.decay, options.first, options.second, first_left, second_left,
                       gradient + begin, end - begin, weights.data() + begin, averages.data() + begin, renewal,
                       means.data() + begin, squares.data() + begin);
    });
}

}  // namespace arbora::isbn
