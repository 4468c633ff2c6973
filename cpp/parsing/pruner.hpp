#pragma once
#include <vector>

#include "linear/arc_features.hpp"
#include "parsing/candidates.hpp"

namespace arbora {

// Chooses the arcs worth a closer look, by the probabilities of a small first-order model of its own:
// the section `pruner` of the templates.
class Pruner {
public:
    // Keeps arcs at least `threshold` times as probable as the word's best, at most `most` for a word, and the
    // arcs of the least-risk tree, so that there always is one. Without templates all arcs are kept.
    Pruner(const Templates& templates, double threshold, int most);

    bool is_active() const { return active_; }
    const ArcFeatures& features() const { return features_; }

    // The arcs in the order of their modifiers, then heads. `also`, if not null, has heads to keep in any case.
    // Throws Infeasible if nothing fits what is given.
    std::vector<Arc> choose(const Prepared& sentence, ShortWeights weights, Given given, TreeKind kind,
                            const int* also) const;

private:
    ArcFeatures features_;
    bool active_;
    double threshold_;
    int most_;
};

}  // namespace arbora
