#pragma once
#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "solvers/outcome.hpp"

template <class T>
nanobind::object array_of(const std::vector<T>& values) {
    T* data;
    auto array = new_array<T, 1>({values.size()}, data);
    std::copy(values.begin(), values.end(), data);
    return nanobind::cast(array);
}

template <class T>
nanobind::list arrays_of(const std::vector<std::vector<T>>& groups) {
    nanobind::list result;
    for (const auto& group : groups) result.append(array_of(group));
    return result;
}

// What a solver found, by the names of Outcome; arbora.inference makes a Solution of it.
inline nanobind::dict dictionary_of(const arbora::Outcome& outcome) {
    nanobind::dict result;
    result["beliefs"] = array_of(outcome.beliefs);
    result["parts"] = arrays_of(outcome.parts);
    result["assignment"] = array_of(outcome.assignment);
    result["value"] = outcome.value;
    result["ranked"] = arrays_of(outcome.ranked);
    result["ranked_values"] = array_of(outcome.ranked_values);
    result["upper_bound"] = outcome.upper_bound;
    result["log_partition"] = outcome.log_partition;
    result["variable_entropies"] = array_of(outcome.variable_entropies);
    result["factor_entropies"] = arrays_of(outcome.factor_entropies);
    result["converged"] = outcome.converged;
    result["infeasible"] = outcome.infeasible;
    result["iterations"] = outcome.iterations;
    result["residuals"] = array_of(outcome.residuals);
    result["values"] = array_of(outcome.values);
    result["seconds"] = array_of(outcome.seconds);
    result["calls"] = array_of(outcome.calls);
    result["skipped"] = array_of(outcome.skipped);
    return result;
}
