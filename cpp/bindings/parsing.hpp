// What the bindings of parsing share.
#pragma once
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "parsing/linear_scorer.hpp"
#include "parsing/parse.hpp"
#include "parsing/training.hpp"
#include "weights.hpp"

namespace arbora {

template <class T>
using Array = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// (seed, sides: head, modifier, between, third, fourth; arc atoms, alone, direction, distance); sides are lists of
// (offset, atom).
using SideSpec = std::vector<std::tuple<int, int>>;
using TemplateSpec = std::tuple<std::uint64_t, std::vector<SideSpec>, std::vector<int>, bool, bool, bool>;
using OptionalIntegers = std::optional<Array<const int>>;
inline const int* data_of(const OptionalIntegers& array) { return array && array->shape(0) ? array->data() : nullptr; }
using ArcSpec = std::vector<std::tuple<int, int>>;  // head and modifier

// Sections in the order of Section.
Templates templates_of(const std::vector<std::vector<TemplateSpec>>& sections);

// The names of GraphSolver's members, in their order.
inline constexpr std::array<const char*, 4> solver_names{"bp", "dual-decomposition", "ad3", "hill-climbing"};

// Which trees count, and how they are found where arcs are not alone.
struct TreeOptions {
    TreeKind kind;
    GraphOptions graph;
};

struct Arcs {
    std::vector<std::vector<Arc>> of;
};

LinearParser parser_of(const LinearModel& model, const HeldWeights& weights, const HeldWeights& pruner_weights);

using ModelClass = nanobind::class_<LinearModel>;
void bind_training(ModelClass& model);
void bind_raw_scores(ModelClass& model);

}  // namespace arbora
