// What the bindings that give trees to batches share.
#pragma once
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include "parsing.hpp"
#include "parsing/annotate.hpp"

namespace arbora {

// What is given is of all words of the batch; there are so many labels.
AnnotationOptions annotation_options(const TreeOptions& trees, bool least_risk, bool probabilities, bool constraints,
                                     int threads, const OptionalIntegers& given_heads,
                                     const OptionalIntegers& given_labels, int labels, const treebank::Batch& batch);

// Adds what gives trees to batches to the class.
void bind_annotating(nanobind::class_<Scorer>& scorers);

}  // namespace arbora
