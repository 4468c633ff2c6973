// A parser without its weights, as the bindings of parsing share it.
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

#include "parsing/parse.hpp"
#include "parsing/training.hpp"
#include "templates.hpp"
#include "weights.hpp"

namespace arbora {

template <class T>
using Array = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Templates by the names of their sections; a section that is not there has none.
using SectionSpecs = std::map<std::string, std::vector<TemplateSpec>>;
// Integers that need not be given.
using Perhaps = std::optional<Array<const int>>;
inline const int* data_of(const Perhaps& array) { return array && array->shape(0) ? array->data() : nullptr; }
using ArcSpec = std::vector<std::tuple<int, int>>;  // head and modifier

Templates templates_of(const SectionSpecs& sections);
// Throws nb::value_error if there is none.
Section section_named(const std::string& name);

struct Structure {
    Templates templates;
    Pruner pruner;
    FirstOrder model;
    HigherOrder higher;

    Structure(const SectionSpecs& sections, double threshold, int most, const std::vector<bool>& at_root,
              const std::vector<bool>& below_words, double tree_scale, double label_scale, double joint_scale,
              int roles, int tags)
        : templates(templates_of(sections)),
          pruner(templates, threshold, most),
          model(templates, {at_root.begin(), at_root.end()}, {below_words.begin(), below_words.end()},
                {tree_scale, label_scale, joint_scale}, roles),
          higher(templates, tags) {}

    // How many weights follow the table's power of two.
    int padding() const { return std::max(model.padding(), higher.tags().padding()); }
};

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

Parser parser_of(const Structure& structure, const HeldWeights& weights, const HeldWeights& pruner_weights);

using StructureClass = nanobind::class_<Structure>;
void bind_training(StructureClass& structure);
void bind_raw_scores(StructureClass& structure);

}  // namespace arbora
