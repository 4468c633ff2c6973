#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "linear/weights.hpp"
#include "support/large_pages.hpp"

namespace arbora {

// How long a step along a sentence's gradient is:
//   aggressive: min(rate, loss / |gradient|^2), algorithm 1 of Martins et al. 2010 with rate = 1 / (lambda m);
//   sgd: rate; a perceptron if the loss is that and the rate 1;
//   adagrad: rate / sqrt(sum of the squares so far), for every weight its own.
enum class StepRule : std::uint8_t { aggressive, sgd, adagrad };

// A part whose expectation the gradient would change by less is left out of it.
inline constexpr double negligible_gradient = 1e-3;

// A sentence's gradient as lists, in parts of the weight table, with the step to take along it.
struct SparseGradient {
    static constexpr int parts = 8;

    std::vector<std::uint32_t> index;
    std::vector<float> value;
    std::array<std::size_t, parts + 1> starts{};
    double loss = 0, step = 0;
};

// Weights that are learned online, and their average. Gradients of one batch come from the same weights and are
// applied in their order, so that the result does not depend on the threads: parts of the table are independent.
class OnlineLearner {
public:
    // 2^bits weights and `extra` more at the end.
    OnlineLearner(int bits, int extra, StepRule rule, double rate);

    Weights weights() const { return {weights_.data(), mask_}; }
    std::uint32_t mask() const { return mask_; }
    double rate() const { return rate_; }
    void set_rate(double rate) { rate_ = rate; }

    // Empties `sum` into the gradient of a loss. Thread-safe.
    void collect(SparseSum& sum, double loss, SparseGradient& gradient) const;
    void apply(const std::vector<const SparseGradient*>& batch, int threads);

    // From the first call on, only weights that were allowed can change.
    void allow(SparseSum& sum);

    // The mean of the weights over all steps.
    void average(float* result) const;

    // What a checkpoint must hold.
    LargeVector<float>& current() { return weights_; }
    LargeVector<float>& weighted_steps() { return weighted_steps_; }
    LargeVector<float>& squares() { return squares_; }
    std::vector<std::uint64_t>& allowed() { return allowed_; }
    std::uint64_t& steps() { return steps_; }

private:
    void apply_part(const SparseGradient& gradient, int part);
    bool is_allowed(std::uint32_t index) const {
        return allowed_.empty() || (allowed_[index >> 6] >> (index & 63) & 1);
    }

    int bits_;
    std::uint32_t mask_;
    StepRule rule_;
    double rate_;
    LargeVector<float> weights_, weighted_steps_, squares_;
    std::vector<std::uint64_t> allowed_;
    std::uint64_t steps_ = 0;
};

}  // namespace arbora
