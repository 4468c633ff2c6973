#pragma once
#include <vector>

#include "linear/prepared.hpp"
#include "linear/templates.hpp"
#include "linear/weights.hpp"

namespace arbora {

struct Arc {
    int head, modifier;

    bool operator==(const Arc&) const = default;
};

// An arc and what the gradient of a loss says about its score.
struct ArcGradient {
    int head, modifier;
    float value;
};

// Sums of arc features' weights. Templates about one word cost O(n) for each, about two words O(n^2), about a word
// between them O(n h m) with h and m the different values of their head and modifier sides in the sentence.
class ArcFeatures {
public:
    explicit ArcFeatures(const Templates& templates);

    // scores[head * (n+1) + modifier]; what is no arc is left at some finite value.
    void score(const Prepared& sentence, Weights weights, float* scores) const;
    // The same for some arcs only: scores[i] of arcs[i]. O(1) for each arc and template but those of words between.
    void score(const Prepared& sentence, Weights weights, const std::vector<Arc>& arcs, float* scores) const;
    // Adds value * (feature vector of the arc) for every arc.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<ArcGradient>& arcs,
                      SparseSum& sum) const;

private:
    std::vector<Template> head_only_, modifier_only_, pairs_, between_;
};

}  // namespace arbora
