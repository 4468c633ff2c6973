#pragma once
#include <vector>

#include "linear/prepared.hpp"
#include "linear/streams.hpp"
#include "linear/templates.hpp"
#include "linear/weights.hpp"

namespace arbora {

// Some labels of each of several arcs: those of arc i are labels[begins[i]] up to labels[begins[i + 1]].
struct SomeLabels {
    std::vector<std::size_t> begins;
    std::vector<int> labels;

    void clear() {
        begins.assign(1, 0);
        labels.clear();
    }
    void end_arc() { begins.push_back(labels.size()); }
};

// Sums of the weights of features that see an arc's label. A template's hash is the start of a block of weights, one
// for each label (and one for "no more siblings"), so a feature costs one look-up and a run of additions.
class LabelFeatures {
public:
    // `arcs` see head, modifier and what is between; `siblings` see the head and the label before.
    LabelFeatures(const std::vector<Template>& arcs, const std::vector<Template>& siblings, int labels);

    int labels() const { return labels_; }
    // Labels of a chain, with the place before the first and after the last.
    int states() const { return labels_ + 1; }
    // How far apart rows of scores are: whole vectors of 8.
    int stride() const { return (states() + 7) / 8 * 8; }
    // How many weights must follow the table: those of blocks that begin near its end.
    int padding() const { return stride(); }
    bool has_siblings() const { return !siblings_.empty(); }

    // scores[i * stride + label] of arcs[i].
    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
               float* scores) const;
    // gradient[i * labels + label]; values that are 0 cost nothing.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs, const float* gradient,
                      SparseSum& sum) const;

    // The same for some labels only; a score, or a part of the gradient, for each of them.
    template <class Number>
    void score_some(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                    const SomeLabels& some, std::vector<double>& scores) const;
    void add_gradient_of_some(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                              const SomeLabels& some, const std::vector<float>& gradient, SparseSum& sum) const;

    // scores[previous * states + label]; previous = labels is the start, label = labels the end.
    template <class Number>
    void score_siblings(const Prepared& sentence, WeightTable<Number> weights, int head, float* scores) const;
    // All that they hang on: heads with the same key have the same scores.
    void sibling_key(const Prepared& sentence, int head, std::vector<std::uint32_t>& key) const;
    void add_sibling_gradient(const Prepared& sentence, std::uint32_t mask, int head, const float* gradient,
                              SparseSum& sum) const;

private:
    template <class Body>
    void for_sibling_features(const Prepared& sentence, int head, Body body) const;
    template <class Body>
    void for_sibling_blocks(const Prepared& sentence, std::uint32_t mask, int head, int previous, Body body) const;

    // body(arc, where the block of a feature begins) for all features of all arcs with labels.
    template <class Body>
    void for_blocks(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs, const SomeLabels& some,
                    Body body) const;

    // Templates that see the modifier and the direction only have the same sums for all heads on one side.
    std::vector<Template> shared_, others_, siblings_;
    int labels_;
};

}  // namespace arbora
