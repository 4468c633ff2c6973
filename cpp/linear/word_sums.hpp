#pragma once
#include <array>
#include <vector>

#include "linear/prepared.hpp"
#include "linear/weights.hpp"

namespace arbora {

inline constexpr int code_count = 16;

// Templates about one word: what its arcs get from them depends on the distance code only, so there is a sum for each
// word and code. All variants of a feature lie in one cache line, which is added as a whole.
class WordSums {
public:
    // In steps of the weights.
    template <class Number>
    void set(const std::vector<Template>& templates, const Prepared& sentence, Role role, WeightTable<Number> weights);
    float at(int word, std::uint32_t distance_code) const { return sums_[word][distance_code]; }

private:
    std::vector<std::array<float, code_count>> sums_, lines_;
};

// The other way round: gradients of arcs summed for each word and code, then spread over the features.
class WordGradients {
public:
    void clear(int width);
    void add(int word, std::uint32_t distance_code, float value);
    void spread(const std::vector<Template>& templates, const Prepared& sentence, Role role, std::uint32_t mask,
                SparseSum& sum) const;

private:
    std::vector<std::array<float, code_count>> values_;
    std::vector<int> touched_;
    std::vector<char> seen_;
};

}  // namespace arbora
