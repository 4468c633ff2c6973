#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/label_features.hpp"
#include "parsing/scorer.hpp"

namespace arbora {

// The first-order model without its weights: scores for candidate arcs and for labels. Labels can be found together
// with the arcs (every arc has a score for every label: `labels` templates), or after them, along the modifiers of each
// head (`labeler` and `siblings`, which see the tree). With both, the tree
// is that of the former (the best labelled tree, or by sums over labels for probabilities and least risk), and its
// labels are found anew by the latter. Instead of labels, arcs can have hidden roles (`roles`), which nobody ever
// observes: what counts of an arc is always the sum over its roles, and labels are found after the tree.
class FirstOrder {
public:
    // How scores are multiplied to make probabilities of them: those of trees, those of the second stage's labels,
    // and, if that is not 0, those of a joint model's labels given the arc.
    struct Scales {
        double trees = 1, labels = 1, joint = 0;
        Confidences confidence = {};
    };
    // `roles`: how many hidden ones an arc can have; then the scale of a joint model's labels is that of the roles.
    FirstOrder(const Templates& templates, std::vector<char> at_root, std::vector<char> below_words, Scales scales,
               int roles = 0);

    int labels() const { return labeler_.labels(); }
    bool has_roles() const { return roles_.labels() > 0; }
    double tree_scale() const { return scales_.trees; }
    const Confidences& confidence() const { return scales_.confidence; }
    bool is_joint() const { return is_joint_; }
    bool has_labeler() const { return has_labeler_; }
    const ArcFeatures& arcs() const { return arcs_; }
    const LabelFeatures& joint_labels() const { return joint_labels_; }
    const LabelFeatures& labeler() const { return labeler_; }
    const LabelFeatures& roles() const { return roles_; }
    // What gives every arc a row of scores: its roles, or its labels if they are joint; null if an arc has one score.
    const LabelFeatures* rows() const { return has_roles() ? &roles_ : is_joint_ ? &joint_labels_ : nullptr; }
    // How many weights must follow the table.
    int padding() const { return std::max(labeler_.padding(), roles_.padding()); }
    // Whether a label was seen on arcs from the root, or on others.
    bool may_have_label(int head, int label) const { return head == 0 ? at_root_[label] : below_words_[label]; }

    // Space for scores, to be used again.
    struct Workspace {
        std::vector<float> arc_scores, label_scores;
        std::vector<Arc> arcs;
    };
    // Scores arcs; labels of words that are known (null: none is, -1: this one is not) are the only ones of their arcs,
    // and count 0 where the training data never had them.
    template <class Number>
    void score_by_arc(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
                      const int* known, ArcTotal asked, Workspace& space, ArcTotals& result) const;
    // The first best label of an arc that was scored by `score_by_arc`.
    int best_label(const Workspace& space, std::size_t arc) const;
    // The probabilities of its labels.
    void label_probabilities(const Workspace& space, std::size_t arc, double* result) const;

    // Scores the arcs that the candidates list, with labels if they are joint, or with roles.
    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, Workspace& space, Candidates& candidates) const;

    // Scores of labels that follow the tree: unary (modifiers x labels), and siblings ((labels+1)^2, empty if the model has
    // none).
    template <class Number>
    void score_modifiers(const Prepared& sentence, WeightTable<Number> weights, Workspace& space, const Family& family,
                         std::vector<double>& unary) const;
    template <class Number>
    void score_siblings(const Prepared& sentence, WeightTable<Number> weights, Workspace& space, int head,
                        std::vector<double>& siblings) const;

private:
    // Scores whose labels have another scale than the trees: P(label | arc) by the one, P(tree) by the other.
    void rescale(Candidates& candidates) const;
    const float* barred(int head) const { return head == 0 ? barred_at_root_.data() : barred_below_words_.data(); }

    ArcFeatures arcs_;
    LabelFeatures joint_labels_, labeler_, roles_;
    bool is_joint_, has_labeler_;
    std::vector<char> at_root_, below_words_;
    // 0 for possible labels or roles, -inf for others, as long as rows of their scores.
    std::vector<float> barred_at_root_, barred_below_words_;
    Scales scales_;
};

}  // namespace arbora
