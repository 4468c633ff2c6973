// What the bindings of scorers share.
#pragma once
#include "bindings.hpp"
#include "parsing.hpp"
#include "parsing/scorer.hpp"

namespace arbora {

inline std::vector<int> lengths_of(const Scorer& scorer) {
    std::vector<int> result;
    for (std::size_t i = 0; i < scorer.sentences(); ++i) result.push_back(scorer.length(i));
    return result;
}

// Where sentences begin in flat arrays of n + 1 places for each.
inline std::vector<std::size_t> starts_of(const Scorer& scorer) {
    std::vector<std::size_t> result{0};
    for (int length : lengths_of(scorer)) result.push_back(result.back() + length + 1);
    return result;
}

inline const int* checked(const OptionalIntegers& array, std::size_t count) {
    if (!array) return nullptr;
    if (array->shape(0) != count)
        throw nanobind::value_error("every word needs a place in what is given, and every root");
    return array->data();
}

}  // namespace arbora

void bind_array_scorer(nanobind::module_& m);
