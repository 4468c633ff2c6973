// What the bindings of parsing share.
#pragma once
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "parsing/linear_scorer.hpp"
#include "parsing/parse.hpp"
#include "parsing/training.hpp"
#include "templates.hpp"
#include "weights.hpp"

namespace arbora {

// Templates by the names of their sections; a section that is not there has none.
using SectionSpecs = std::map<std::string, std::vector<TemplateSpec>>;
using OptionalIntegers = std::optional<Array<const int>>;
inline const int* data_of(const OptionalIntegers& array) { return array && array->shape(0) ? array->data() : nullptr; }
using ArcSpec = std::vector<std::tuple<int, int>>;  // head and modifier

Templates templates_of(const SectionSpecs& sections);
// Throws nb::value_error if there is none.
Section section_named(const std::string& name);

// The names of GraphSolver's members, in their order.
inline constexpr std::array<const char*, 4> solver_names{"bp", "dual-decomposition", "ad3", "hill-climbing"};

// Which trees count, and how they are found where arcs are not alone.
struct TreeOptions {
    TreeKind kind;
    GraphOptions graph;
    int exact_length = default_exact_length;

    ParseOptions parse_options(Decoder decoder, bool probabilities) const {
        return {kind, decoder, probabilities, graph, graph.certify, exact_length};
    }
};

struct Arcs {
    std::vector<std::vector<Arc>> of;
};

// Tags that words may have are some of the model's.
void check_tags(const LinearModel& model, const Encoded& encoded);
LinearParser parser_of(const LinearModel& model, const LoadedWeights& weights, const LoadedWeights& pruner_weights);

using ModelClass = nanobind::class_<LinearModel>;
void bind_training(ModelClass& model);
void bind_raw_scores(ModelClass& model);

}  // namespace arbora
