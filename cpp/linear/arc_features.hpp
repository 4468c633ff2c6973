#pragma once
#include <vector>

#include "linear/prepared.hpp"
#include "linear/streams.hpp"
#include "linear/templates.hpp"
#include "linear/weights.hpp"

namespace arbora {

// An arc and what the gradient of a loss says about its score.
struct ArcGradient {
    int head, modifier;
    float value;
};

// Sums of arc features' weights. Templates about one word cost O(n) each, about two words O(1) for every arc, about a
// word between them O(distance) for every arc; if all arcs are wanted, O(n h m) in all, with h and m the different
// values of their head and modifier sides in the sentence.
class ArcFeatures {
public:
    explicit ArcFeatures(const std::vector<Template>& templates);

    // All arcs: scores[head * (n+1) + modifier]; what is no arc is left at some finite value.
    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, float* scores) const;
    // Some arcs: scores[i] of arcs[i].
    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
               float* scores) const;
    // Adds value * (feature vector of the arc) for every arc.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<ArcGradient>& arcs,
                      SparseSum& sum) const;

private:
    std::vector<Template> head_only_, modifier_only_, pairs_, between_;
};

}  // namespace arbora
