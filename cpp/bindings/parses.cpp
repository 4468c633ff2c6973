// arbora._core's Parses: what parsing found for a batch of sentences.
#include "parsing/parses.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "outcomes.hpp"

namespace nb = nanobind;

namespace {

using namespace arbora;

// Of every sentence by how much its tree's score may be less than the best; 0 is proved.
std::vector<double> gaps_of(const Parses& self) {
    std::vector<double> result;
    for (std::size_t i = 0; i < self.sentences(); ++i)
        result.push_back(is_certificate(self.values[i], self.upper_bounds[i]) ? 0
                                                                              : self.upper_bounds[i] - self.values[i]);
    return result;
}

}  // namespace

void bind_parses(nb::module_& m) {
    nb::class_<Parses>(m, "Parses",
                       "What parsing found for sentences, in flat arrays: one of n words has n + 1 places, the root's "
                       "first. Arrays of what was not asked for are empty.")
        .def("__len__", &Parses::sentences)
        .def_prop_ro(
            "starts", [](const Parses& self) { return array_of(self.starts); },
            nb::for_getter(nb::sig("def starts(self) -> typing.Any")))
        .def_prop_ro(
            "heads", [](const Parses& self) { return array_of(self.heads); },
            nb::for_getter(nb::sig("def heads(self) -> typing.Any")))
        .def_prop_ro(
            "labels", [](const Parses& self) { return array_of(self.labels); },
            nb::for_getter(nb::sig("def labels(self) -> typing.Any")))
        .def_prop_ro(
            "tags", [](const Parses& self) { return array_of(self.tags); },
            nb::for_getter(nb::sig("def tags(self) -> typing.Any")))
        .def_prop_ro(
            "head_probabilities", [](const Parses& self) { return array_of(self.head_probabilities); },
            nb::for_getter(nb::sig("def head_probabilities(self) -> typing.Any")))
        .def_prop_ro(
            "label_probabilities", [](const Parses& self) { return array_of(self.label_probabilities); },
            nb::for_getter(nb::sig("def label_probabilities(self) -> typing.Any")))
        .def_prop_ro(
            "tag_probabilities", [](const Parses& self) { return array_of(self.tag_probabilities); },
            nb::for_getter(nb::sig("def tag_probabilities(self) -> typing.Any")))
        .def_prop_ro(
            "log_probabilities", [](const Parses& self) { return array_of(self.log_probabilities); },
            nb::for_getter(nb::sig("def log_probabilities(self) -> typing.Any")))
        .def_prop_ro(
            "values", [](const Parses& self) { return array_of(self.values); },
            nb::for_getter(nb::sig("def values(self) -> typing.Any")))
        .def_prop_ro(
            "upper_bounds", [](const Parses& self) { return array_of(self.upper_bounds); },
            nb::for_getter(nb::sig("def upper_bounds(self) -> typing.Any")))
        .def_prop_ro(
            "pieces", [](const Parses& self) { return self.pieces; },
            "Of every sentence in how many pieces it was parsed.")
        .def_prop_ro("gaps", &gaps_of, "By how much a tree's score may be less than the best; 0 is proved.")
        .def_prop_ro(
            "errors",
            [](const Parses& self) {
                std::vector<std::tuple<std::size_t, std::string, std::string>> result;
                for (std::size_t i = 0; i < self.sentences(); ++i)
                    if (!self.has_tree(i)) result.emplace_back(i, code_of(self.errors[i].fault), self.errors[i].reason);
                return result;
            },
            "Sentences that have no tree: (number, code, reason), in their order.");
}
