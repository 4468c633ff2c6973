#include "parsing/first_order.hpp"

#include <utility>

namespace arbora {

FirstOrder::FirstOrder(TemplateSets templates, std::vector<char> at_root, std::vector<char> below_words)
    : templates_(std::move(templates)),
      arcs_(templates_.arcs),
      joint_labels_(templates_.labels, {}, static_cast<int>(at_root.size())),
      labeler_(templates_.labeler, templates_.siblings, static_cast<int>(at_root.size())),
      at_root_(std::move(at_root)),
      below_words_(std::move(below_words)) {}

void FirstOrder::prepare(const Encoded& encoded, std::size_t sentence, Workspace& space) const {
    space.arcs.set(templates_.arcs, encoded, sentence);
    if (is_joint()) space.labels.set(templates_.labels, encoded, sentence);
}

void FirstOrder::prepare_labeler(const Encoded& encoded, std::size_t sentence, const int* heads,
                                 Workspace& space) const {
    space.labeler.set(templates_.labeler, encoded, sentence, heads);
    space.siblings.set(templates_.siblings, encoded, sentence, heads);
}

void FirstOrder::score(Weights weights, Workspace& space, Candidates& candidates) const {
    const std::size_t count = candidates.arcs.size();
    candidates.labels = is_joint() ? labels() : 0;
    space.arc_scores.resize(count);
    arcs_.score(space.arcs, weights, candidates.arcs, space.arc_scores.data());
    if (!candidates.labels) {
        candidates.scores.assign(space.arc_scores.begin(), space.arc_scores.end());
        return;
    }
    candidates.scores.resize(count * labels());
    space.label_scores.resize(labels());
    for (std::size_t a = 0; a < count; ++a) {
        const auto [h, m] = candidates.arcs[a];
        joint_labels_.score(space.labels, weights, h, m, space.label_scores.data());
        for (int l = 0; l < labels(); ++l)
            candidates.scores[a * labels() + l] =
                may_have_label(h, l) ? static_cast<double>(space.arc_scores[a]) + space.label_scores[l] : impossible;
    }
}

std::vector<FirstOrder::Family> FirstOrder::families(const int* heads, int n) {
    std::vector<int> place(n + 1, -1);
    std::vector<Family> result;
    for (int m = 1; m <= n; ++m) {
        int& at = place[heads[m]];
        if (at < 0) {
            at = static_cast<int>(result.size());
            result.push_back({heads[m], {}});
        }
        result[at].modifiers.push_back(m);
    }
    return result;
}

void FirstOrder::score_family(Weights weights, Workspace& space, const Family& family, std::vector<double>& unary,
                              std::vector<double>& siblings) const {
    space.label_scores.resize(static_cast<std::size_t>(labeler_.states()) * labeler_.states());
    float* scores = space.label_scores.data();
    unary.clear();
    for (int modifier : family.modifiers) {
        labeler_.score(space.labeler, weights, family.head, modifier, scores);
        for (int l = 0; l < labels(); ++l)
            unary.push_back(may_have_label(family.head, l) ? static_cast<double>(scores[l]) : impossible);
    }
    siblings.clear();
    if (!labeler_.has_siblings()) return;
    labeler_.score_siblings(space.siblings, weights, family.head, scores);
    siblings.assign(scores, scores + space.label_scores.size());
}

}  // namespace arbora
