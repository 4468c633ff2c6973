// The encoder's states of the words of a batch.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "neural/model.hpp"

namespace arbora::neural {

// Of every sentence n + 1 rows, the root's first.
class States {
public:
    States(std::vector<int> lengths, std::size_t width);

    std::size_t sentences() const { return lengths_.size(); }
    int length(std::size_t sentence) const { return lengths_[sentence]; }
    std::size_t width() const { return width_; }
    std::span<float> rows(std::size_t sentence) {
        return {values_.data() + starts_[sentence] * width_, (lengths_[sentence] + std::size_t{1}) * width_};
    }
    std::span<const float> rows(std::size_t sentence) const { return const_cast<States&>(*this).rows(sentence); }
    // Of one sentence, with some of its words (1..n, in their order) alone.
    States excerpt(std::size_t sentence, std::span<const int> words) const;

private:
    std::vector<int> lengths_;
    std::vector<std::size_t> starts_;
    std::size_t width_;
    std::vector<float> values_;
};

// Reads sentences, given by the forms of their words; those without words have a root whose numbers are 0. What is too long
// for the encoder is read in windows that overlap by half; a word's state comes from the window in which it is farthest
// from an end. Numbers do not depend on other sentences, nor on threads.
States read_states(const NeuralModel& model, const std::vector<std::vector<std::string_view>>& sentences, int threads);

}  // namespace arbora::neural
