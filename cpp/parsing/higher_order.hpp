#pragma once
#include <array>
#include <vector>

#include "linear/part_features.hpp"
#include "parsing/tag_features.hpp"
#include "parts/part_graph.hpp"

namespace arbora {

// Scores of parts of several arcs, beside those of arcs that FirstOrder gives: the sections of the templates from
// first_part_section on. And of tags of words, of which arcs see two, and chains all.
class HigherOrder {
public:
    // `tags`: how many there are; 0: words have none.
    explicit HigherOrder(const Templates& templates, int tags = 0);

    // Whether there are any, or tags.
    bool has_parts() const { return has_parts_; }
    const TagFeatures& tags() const { return tags_; }

    // Lists the parts over the arcs, without tags.
    void list(const std::vector<Arc>& arcs, int n, SentenceParts& parts) const { parts.set(arcs, n, used_); }
    // Lists them, and scores them.
    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
               SentenceParts& parts) const;
    // Adds the features of the parts; what is below 1e-3 is left out. Those of tags are `tags()`'s own.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, const SentenceParts& parts,
                      const PartNumbers<double>& gradient, SparseSum& sum) const;

private:
    std::vector<PartFeatures> features_;  // by kind
    std::array<bool, part_kind_count> used_{};
    TagFeatures tags_;
    bool has_parts_;
};

}  // namespace arbora
