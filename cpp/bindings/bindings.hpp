#pragma once
#include <nanobind/nanobind.h>

void bind_interruption(nanobind::module_& m);
void bind_treebank(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
void bind_learning(nanobind::module_& m);
void bind_encoding(nanobind::module_& m);
void bind_batches(nanobind::module_& m);
void bind_parses(nanobind::module_& m);
void bind_parsing(nanobind::module_& m);
void bind_scoring(nanobind::module_& m);
void bind_lattices(nanobind::module_& m);
void bind_tagging(nanobind::module_& m);
void bind_graphs(nanobind::module_& m);
void bind_propagation(nanobind::module_& m);
void bind_relaxation(nanobind::module_& m);
void bind_tokenizing(nanobind::module_& m);
void bind_subwords(nanobind::module_& m);
void bind_isbn(nanobind::module_& m);
void bind_enumeration(nanobind::module_& m);
void bind_projective_chart(nanobind::module_& m);
void bind_spans(nanobind::module_& m);
void bind_valences(nanobind::module_& m);
void bind_encoders(nanobind::module_& m);
void bind_neural(nanobind::module_& m);
