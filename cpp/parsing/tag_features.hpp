#pragma once
#include "linear/label_features.hpp"
#include "parts/tag_sums.hpp"

namespace arbora {

// Scores of words' tags by features: those of a word for its tags (`tags` templates, in which the word is the modifier of
// an arc from the root), those of an arc for the tags of its two words (`tag_links`), those of a word for its tag and the
// one before it, and the two before it (`tag_bigrams`, `tag_trigrams`). A word may have the tags that the sentence lists,
// with the scores that they begin with, or any if it lists none.
class TagFeatures {
public:
    // `tags`: how many there are; 0: words have none.
    TagFeatures(const Templates& templates, int tags);

    int tags() const { return tags_; }
    // How many weights must follow the table.
    int padding() const;
    // How many labels there are for the templates of a section about tags.
    int labels(Section section) const { return of(section).labels(); }

    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, const std::vector<Arc>& arcs,
               TagNumbers& scores) const;
    // Adds the features; what is below 1e-3 is left out.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs,
                      const TagNumbers& gradient, SparseSum& sum) const;
    // Adds all that there are.
    void add_all(const Prepared& sentence, std::uint32_t mask, const std::vector<Arc>& arcs, SparseSum& sum) const;

private:
    // Tags, pairs and triples as labels, in the order of TagNumbers.
    struct Listed {
        SomeLabels words, links, bigrams, trigrams;
    };
    const Listed& list(const Prepared& sentence, const std::vector<Arc>& arcs) const;
    const LabelFeatures& of(Section section) const {
        return features_[static_cast<int>(section) - static_cast<int>(Section::tags)];
    }
    bool has_chain() const { return labels(Section::tag_bigrams) || labels(Section::tag_trigrams); }

    int tags_;
    std::vector<LabelFeatures> features_;  // by section, from `tags` on
};

}  // namespace arbora
