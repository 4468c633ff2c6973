// Scores that come from outside, as arrays: those of any other program.
#pragma once
#include <array>
#include <vector>

#include "parsing/losses.hpp"
#include "parsing/scorer.hpp"

namespace arbora {

// The arrays of one sentence; null where there are none. Words are counted from 1, the root is 0; rows of padded arrays
// are longer than the sentence (`width` of ArraySentence). -inf is impossible.
template <class Number>
struct ScoreArrays {
    Number* arcs = nullptr;                        // (head, modifier), with labels (head, modifier, label)
    Number* labels = nullptr;                      // of labels that follow the tree: (head, modifier, label)
    Number* tags = nullptr;                        // (word, tag)
    Number* tag_links = nullptr;                   // (head, modifier, tag of the head, tag of the modifier)
    Number* tag_bigrams = nullptr;                 // (word, tag of the word before, its own)
    Number* tag_trigrams = nullptr;                // (word, tag of the second word before, of the first, its own)
    std::array<Number*, part_kind_count> parts{};  // one number for each part that is listed
};

// Parts of one kind that have a score; others score 0.
struct PartList {
    const int* words = nullptr;  // count x 4: head, modifier, third, fourth
    const int* codes = nullptr;  // count: PartKind::code
    std::size_t count = 0;
};

struct ArraySentence {
    int n = 0, width = 1;
    ScoreArrays<const double> scores;
    std::array<PartList, part_kind_count> parts;
};

// What is the same for all sentences.
struct ArrayShape {
    int labels = 0;  // of arcs, or of labels that follow
    bool arcs_have_labels = false, labels_follow = false;
    int tags = 0;
    std::array<bool, part_kind_count> parts{};  // kinds that have scores
    // Arcs are pruned by their own probabilities (prune in candidates.hpp); 0 keeps all of them.
    double threshold = 0;
    int most_heads = 0;
    // The label that arcs from words cannot have, and whether arcs from the root have no other; -1: there is none.
    int root_label = -1;
    bool root_label_alone = false;

    bool may_have_label(int head, int label) const {
        return head ? label != root_label : !root_label_alone || label == root_label;
    }
};

class ArrayScorer : public Scorer {
public:
    ArrayScorer(ArrayShape shape, std::vector<ArraySentence> sentences);

    std::size_t sentences() const override { return sentences_.size(); }
    int length(std::size_t sentence) const override { return sentences_[sentence].n; }
    ScoreKinds kinds() const override { return kinds_; }
    bool may_have_label(int head, int label) const override { return shape_.may_have_label(head, label); }
    // Throws InvalidScores if a part is listed twice.
    std::unique_ptr<SentenceScorer> begin(std::size_t sentence) const override { return begin(sentence, {}); }
    // With a place for gradients, to be added there.
    std::unique_ptr<SentenceScorer> begin(std::size_t sentence, const ScoreArrays<double>& gradient) const;
    // Throws Infeasible if a gold label or tag is impossible. Fills the places of gold tags, which are numbers of tags, among
    // those that words may have, and returns them; null if tags are hidden.
    const int* check_gold(std::size_t sentence, GoldTree gold, std::vector<int>& places) const;

private:
    ArrayShape shape_;
    std::vector<ArraySentence> sentences_;
    ScoreKinds kinds_;
};

}  // namespace arbora
