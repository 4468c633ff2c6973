// The native module arbora._core. Each room of the core has one file here and one line below.
#include "bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The native core of Arbora. Call it through the public modules: they check what goes in.";
    bind_interruption(m);
    bind_treebank(m);
    bind_trees(m);
    bind_learning(m);
    bind_encoding(m);
    bind_batches(m);
    bind_parses(m);
    bind_parsing(m);
    bind_scoring(m);
    bind_lattices(m);
    bind_tagging(m);
    bind_graphs(m);
    bind_enumeration(m);
    bind_projective_chart(m);
    bind_propagation(m);
    bind_relaxation(m);
    bind_tokenizing(m);
    bind_subwords(m);
    bind_isbn(m);
    bind_spans(m);
    bind_valences(m);
    bind_encoders(m);
    bind_neural(m);
}
