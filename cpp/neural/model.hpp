// What a neural parser is made of: an encoder of words, and heads, which make scores of what it gives.
#pragma once
#include <optional>
#include <vector>

#include "encoders/dense.hpp"
#include "encoders/encoder.hpp"
#include "encoders/subwords.hpp"
#include "neural/sequence.hpp"

namespace arbora::neural {

// Scores of arcs and labels of pairs of words. Each word, and the root, has four vectors, leaky rectified: as a modifier and
// as a head of arcs, and as both of labels. An arc scores modifier . (bilinear head), where the last output of
// `bilinear` is a score of the head alone. A label scores by the product of both vectors, number by number, and by each.
struct ArcHeads {
    encoders::Dense vectors;   // states -> 2 arc_size + 2 label_size
    encoders::Dense bilinear;  // arc_size -> arc_size + 1
    encoders::Dense labels;    // 3 label_size -> labels
    int arc_size, label_size;

    int label_count() const { return static_cast<int>(labels.out()); }
};
inline constexpr float leak = 0.1f;  // of negative numbers

// Scores of tags: of every UPOS, XPOS and FEATS by themselves; rows of tags are those that the treebank has.
struct TagHeads {
    encoders::Dense scores;  // states -> columns of all
    // The columns of a row's UPOS, XPOS and FEATS; rows are those of `morph` in TagNames, and the column of a UPOS tag is
    // its number.
    struct RowColumns {
        int upos, xpos, feats;
    };
    std::vector<RowColumns> rows;
};

struct NeuralModel {
    const encoders::Subwords* subwords;
    Marks marks;
    const encoders::Encoder* encoder;
    ArcHeads arcs;
    std::optional<TagHeads> tags;
    double tree_scale = 1, label_scale = 1;
    // The label that arcs from words cannot have, and whether arcs from the root have no other; -1: there is none.
    int root_label = -1;
    bool root_label_alone = false;

    bool may_have_label(int head, int label) const {
        return head ? label != root_label : !root_label_alone || label == root_label;
    }
};

}  // namespace arbora::neural
