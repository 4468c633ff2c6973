#pragma once
#include <cstdint>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/label_features.hpp"
#include "parsing/candidates.hpp"

namespace arbora {

// The first-order model without its weights: scores for candidate arcs and for labels. Labels can be found together
// with the arcs (every arc has a score for every label: `labels` templates), or after them, along the modifiers of each
// head (`labeler` and `siblings`, which see the tree). With both, a tree's arcs are chosen by scores that sum over
// labels, and its labels by the second stage.
class FirstOrder {
public:
    struct TemplateSets {
        Templates arcs, labels, labeler, siblings;
    };
    FirstOrder(TemplateSets templates, std::vector<char> at_root, std::vector<char> below_words);

    int labels() const { return labeler_.labels(); }
    bool is_joint() const { return !templates_.labels.all().empty(); }
    bool has_labeler() const { return !templates_.labeler.all().empty(); }
    const ArcFeatures& arcs() const { return arcs_; }
    const LabelFeatures& joint_labels() const { return joint_labels_; }
    const LabelFeatures& labeler() const { return labeler_; }
    // Whether a label was seen on arcs from the root, or on others.
    bool may_have_label(int head, int label) const { return head == 0 ? at_root_[label] : below_words_[label]; }

    // A sentence with all that is hashed once; can be used again.
    struct Workspace {
        Prepared arcs, labels, labeler, siblings;
        std::vector<float> arc_scores, label_scores;
    };
    void prepare(const Encoded& encoded, std::size_t sentence, Workspace& space) const;
    // What the second stage needs besides: it sees the tree.
    void prepare_labeler(const Encoded& encoded, std::size_t sentence, const int* heads, Workspace& space) const;

    // Scores the arcs that the candidates list, with labels if they are joint.
    void score(Weights weights, Workspace& space, Candidates& candidates) const;

    // The words below one head, whose labels are scored and solved as a chain.
    struct Family {
        int head;
        std::vector<int> modifiers;
    };
    static std::vector<Family> families(const int* heads, int n);
    // Fills unary (modifiers x labels) and siblings ((labels+1)^2, empty if the model has none).
    void score_family(Weights weights, Workspace& space, const Family& family, std::vector<double>& unary,
                      std::vector<double>& siblings) const;

private:
    TemplateSets templates_;
    ArcFeatures arcs_;
    LabelFeatures joint_labels_, labeler_;
    std::vector<char> at_root_, below_words_;
};

}  // namespace arbora
