// Maximum likelihood of the approximate model, by stochastic gradients.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/network.hpp"

namespace arbora::isbn {

// Small random weights: normal, with a variance of 1 / width between states and `scale` squared elsewhere; biases are 0.
std::vector<double> initial_weights(const Shape& shape, std::uint64_t seed, double scale);

struct LearningOptions {
    double rate = 1e-3;
    double decay = 0;                    // of weights, each step by rate times this
    double first = 0.9, second = 0.999;  // how slowly Adam's means of gradients and of their squares move
    double renewal = 2e-3;               // the share of the present weights in their moving average
    int batch = 16;                      // derivations for a step
};

// Adam (Kingma & Ba 2015) with decoupled weight decay. What is used in the end is a moving average of the weights, which
// varies less from step to step. The numbers are the same for any number of threads.
class Learner {
public:
    explicit Learner(std::vector<double> weights)
        : weights(std::move(weights)), averages(this->weights), means(this->weights.size()), squares(means.size()) {}

    // One pass over the derivations, in this order; the sum of the log-probabilities that they had comes back.
    double train(const Shape& shape, Inference inference, std::span<const std::vector<Decision>> corpus,
                 std::span<const int> order, const LearningOptions& options, int threads);

    std::vector<double> weights, averages, means, squares;
    std::int64_t steps = 0;

private:
    void step(const LearningOptions& options, std::size_t derivations, int threads);

    std::vector<std::vector<double>> gradients_;
};

}  // namespace arbora::isbn
