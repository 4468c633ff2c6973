#pragma once
#include <vector>

#include "linear/prepared.hpp"
#include "linear/templates.hpp"
#include "linear/weights.hpp"

namespace arbora {

// Sums of the weights of features that see an arc's label. A template's hash is the start of a block of weights, one
// for each label (and one for "no more siblings"), so a feature costs one look-up and a run of additions.
class LabelFeatures {
public:
    // `arcs` see head, modifier and what is between; `siblings` see the head and the label before.
    LabelFeatures(const Templates& arcs, const Templates& siblings, int labels);

    int labels() const { return labels_; }
    // Labels of a chain, with the place before the first and after the last.
    int states() const { return labels_ + 1; }
    bool has_siblings() const { return !siblings_.empty(); }

    // scores[label]
    void score(const Prepared& sentence, Weights weights, int head, int modifier, float* scores) const;
    void add_gradient(const Prepared& sentence, std::uint32_t mask, int head, int modifier, const float* gradient,
                      SparseSum& sum) const;

    // What tells the sibling scores of one head from those of another; heads with equal keys have equal scores.
    std::uint64_t sibling_key(const Prepared& siblings, int head) const;
    // scores[previous * states + label]; previous = labels is the start, label = labels the end.
    void score_siblings(const Prepared& siblings, Weights weights, int head, float* scores) const;
    void add_sibling_gradient(const Prepared& siblings, std::uint32_t mask, int head, const float* gradient,
                              SparseSum& sum) const;

private:
    template <class Body>
    void for_blocks(const Prepared& sentence, std::uint32_t mask, int head, int modifier, Body body) const;
    template <class Body>
    void for_sibling_blocks(const Prepared& siblings, std::uint32_t mask, int head, int previous, Body body) const;

    std::vector<Template> arcs_, siblings_;
    int labels_;
};

}  // namespace arbora
