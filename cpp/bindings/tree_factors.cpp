// Factors over the arcs of a tree. `arcs` are the numbers of their variables (~number: negated).
#include "factors/projective_tree.hpp"
#include "factors/tree.hpp"
#include "graphs.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arbora;

namespace {

template <class Factor>
void add_tree(FactorGraph& graph, const Vector<std::int32_t>& arcs, int words, const Vector<std::int32_t>& heads,
              const Vector<std::int32_t>& modifiers, bool single_root) {
    CandidateArcs candidates(words, vector_of(heads), vector_of(modifiers), single_root);
    Wiring wiring;
    wiring.add_factor(graph.variables(), inputs_of(arcs));
    graph.add(std::make_shared<Factor>(std::move(wiring), std::move(candidates)));
}

}  // namespace

void bind_tree_factors(GraphClass& graph) {
    graph.def("add_tree", &add_tree<TreeFactor>, "arcs"_a, "words"_a, "heads"_a, "modifiers"_a, "single_root"_a)
        .def("add_projective_tree", &add_tree<ProjectiveTreeFactor>, "arcs"_a, "words"_a, "heads"_a, "modifiers"_a,
             "single_root"_a);
}
