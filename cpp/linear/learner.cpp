#include "linear/learner.hpp"

#include <algorithm>
#include <cmath>

#include "support/parallel.hpp"

namespace arbora {

OnlineLearner::OnlineLearner(int bits, int extra, StepRule rule, double rate)
    : bits_(bits),
      mask_((1u << bits) - 1),
      rule_(rule),
      rate_(rate),
      weights_((std::size_t{1} << bits) + extra),
      weighted_steps_(weights_.size()) {
    if (rule == StepRule::adagrad) squares_.resize(weights_.size());
}

void OnlineLearner::collect(SparseSum& sum, double loss, SparseGradient& gradient) const {
    constexpr int parts = SparseGradient::parts;
    static_assert(parts == 8);
    const auto part_of = [this](std::uint32_t index) {
        return std::min<std::uint32_t>(index >> (bits_ - 3), parts - 1);
    };
    gradient.starts.fill(0);
    double squared = 0;
    sum.for_each([&](std::uint32_t index, float value) {
        if (value == 0 || !is_allowed(index)) return;
        ++gradient.starts[part_of(index) + 1];
        squared += static_cast<double>(value) * value;
    });
    for (int p = 0; p < parts; ++p) gradient.starts[p + 1] += gradient.starts[p];
    gradient.index.resize(gradient.starts[parts]);
    gradient.value.resize(gradient.starts[parts]);
    auto at = gradient.starts;
    sum.for_each([&](std::uint32_t index, float value) {
        if (value == 0 || !is_allowed(index)) return;
        const std::size_t to = at[part_of(index)]++;
        gradient.index[to] = index;
        gradient.value[to] = value;
    });
    sum.clear();
    gradient.loss = loss;
    gradient.step = rate_;
    if (rule_ == StepRule::aggressive) gradient.step = squared > 0 ? std::clamp(loss / squared, 0.0, rate_) : 0;
}

void OnlineLearner::apply(const std::vector<const SparseGradient*>& batch, int threads) {
    ++steps_;
    parallel_for(SparseGradient::parts, threads, [&](std::size_t part) {
        for (const SparseGradient* gradient : batch) apply_part(*gradient, static_cast<int>(part));
    });
}

void OnlineLearner::apply_part(const SparseGradient& gradient, int part) {
    const float step = static_cast<float>(gradient.step), time = static_cast<float>(steps_);
    constexpr std::size_t ahead = 16;
    const std::size_t end = gradient.starts[part + 1];
    for (std::size_t i = gradient.starts[part]; i < end; ++i) {
        if (i + ahead < end) {
            __builtin_prefetch(&weights_[gradient.index[i + ahead]], 1);
            __builtin_prefetch(&weighted_steps_[gradient.index[i + ahead]], 1);
        }
        const std::uint32_t index = gradient.index[i];
        float change = -step * gradient.value[i];
        if (rule_ == StepRule::adagrad) {
            float& squares = squares_[index];
            squares += gradient.value[i] * gradient.value[i];
            change /= std::sqrt(squares) + 1e-6f;
        }
        weights_[index] += change;
        weighted_steps_[index] += time * change;
    }
}

void OnlineLearner::allow(SparseSum& sum) {
    allowed_.resize((weights_.size() + 63) / 64);
    sum.for_each([&](std::uint32_t index, float) { allowed_[index >> 6] |= std::uint64_t{1} << (index & 63); });
    sum.clear();
}

// Step t's change counts in the T - t weight vectors after it: mean = w - (sum of t * change) / T.
void OnlineLearner::average(float* result) const {
    const float scale = steps_ ? 1 / static_cast<float>(steps_) : 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) result[i] = weights_[i] - scale * weighted_steps_[i];
}

}  // namespace arbora
