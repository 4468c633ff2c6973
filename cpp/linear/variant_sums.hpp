#pragma once
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "linear/pair_hashes.hpp"
#include "linear/weights.hpp"

namespace arbora {

// What weights are summed in: short ones as integers, which are exact and need not wait for each other as long.
template <class Number>
using SumOf = std::conditional_t<std::is_integral_v<Number>, std::int64_t, float>;

template <class Number, int variants>
SumOf<Number> sum_of_these_variants(const std::uint32_t* hash, const std::uint32_t* end, WeightTable<Number> weights,
                                    std::uint32_t direction, std::uint32_t distance) {
    SumOf<Number> sum = 0;
    for (; hash != end; ++hash) {
        const std::uint32_t index = *hash & weights.mask;
        if constexpr ((variants & with_alone) != 0) sum += weights.data[index];
        if constexpr ((variants & with_direction) != 0) sum += weights.data[index ^ direction];
        if constexpr ((variants & with_distance) != 0) sum += weights.data[index ^ distance];
    }
    return sum;
}

// The sum of the weights of features, by their hashes, that come in the same variants; the codes are those of an arc or part.
template <class Number>
SumOf<Number> sum_of_variants(int variants, const std::uint32_t* begin, const std::uint32_t* end,
                              WeightTable<Number> weights, std::uint32_t direction, std::uint32_t distance) {
    static constexpr auto functions = []<int... each>(std::integer_sequence<int, each...>) {
        return std::array{sum_of_these_variants<Number, each>...};
    }(std::make_integer_sequence<int, variants_count>());
    return functions[variants](begin, end, weights, direction, distance);
}

}  // namespace arbora
