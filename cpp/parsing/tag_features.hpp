#pragma once
#include "linear/label_features.hpp"
#include "parts/tag_sums.hpp"

namespace arbora {

// Scores of hidden tags by features: those of a word for its tags (`tags` templates, in which the word is the modifier of
// an arc from the root), those of an arc for the tags of its two words (`tag_links`).
class TagFeatures {
public:
    // `tags`: how many a word can have; 0: it has none.
    TagFeatures(const Templates& templates, int tags);

    int tags() const { return words_.labels(); }
    // How many weights must follow the table.
    int padding() const { return links_.padding(); }

    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
               TagNumbers& scores) const;
    // Adds the features; what is below 1e-3 is left out.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                      const TagNumbers& gradient, SparseSum& sum) const;

private:
    LabelFeatures words_, links_;
};

}  // namespace arbora
