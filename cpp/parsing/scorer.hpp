// Where scores come from. All that finds trees, probabilities and losses sees this interface only: a model that computes
// scores by features is one implementation (linear_scorer.hpp), arrays from outside are another (array_scorer.hpp).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear/label_chains.hpp"
#include "parsing/candidates.hpp"
#include "parsing/confidence.hpp"
#include "parts/part_graph.hpp"

namespace arbora {

// What a scorer has scores for.
struct ScoreKinds {
    int labels = 0;               // that arcs can have; 0: trees have no labels
    bool hidden_labels = false;   // rows of arcs' scores are of hidden roles, and no labels: they are summed out
    bool labels_follow = false;   // labels are found after the tree, along the modifiers of each head
    bool parts = false;           // parts of several arcs have scores, or tags
    int tags = 0;                 // that words can have; 0: they have none
    double part_scale = 1;        // what scores of parts and tags are multiplied by
    Confidences confidence = {};  // where sums over trees are approximate
};

// One score for each arc with labels: that of its best label, and the log of the sum over labels; and the former as a
// model learned it, but for the scale of trees. With hidden roles, all three are the sum over them. What was not asked
// for is empty.
struct ArcTotals {
    std::vector<double> best, sums, learned;
};
// What of that is asked for: the last alone, the best too, or all.
enum class ArcTotal : std::uint8_t { learned, best, sums };

// The words below one head, whose labels are scored and solved as a chain.
struct Family {
    int head;
    std::vector<int> modifiers;
};
// Of a tree, given by the heads of words 1..n.
std::vector<Family> families_of(const int* heads, int n);

// How a loss changes with the scores of candidates' arcs, of parts and of tags.
struct ScoreGradient {
    std::vector<double> arcs;  // as Candidates::scores
    PartNumbers<double> parts;
    TagNumbers tags;
    std::vector<int> completed;  // of a partial gold tree: the heads of a whole one, by what the loss believes
};

// The scores of one sentence, for one thread. What a function returns a pointer to is valid until the next call. Labels
// that are known (null: none is; -1: this one is not) are the only ones of their arcs.
class SentenceScorer {
public:
    virtual ~SentenceScorer() = default;

    // The arcs worth scoring, in the order of their modifiers, then heads. `also`, if not null, has heads to keep in any
    // case. Throws Infeasible if it sees that nothing fits what is given.
    virtual std::vector<Arc> choose(Given given, TreeKind kind, const int* also) = 0;

    // Scores the arcs that the candidates list, one each or a row of labels or hidden roles.
    virtual void score(const int* known_labels, Candidates& candidates) = 0;
    // One score for each arc, without the rows.
    virtual void score_arcs(const std::vector<Arc>& arcs, const int* known_labels, ArcTotal asked,
                            ArcTotals& result) = 0;
    // Of an arc that `score_arcs` has seen, by its place there: the first best label, and the probabilities of all.
    virtual int best_label(std::size_t arc) const = 0;
    virtual void label_probabilities(std::size_t arc, double* result) const = 0;

    // Lists the parts over the arcs, and scores them; and tags, and the pairs of tags that arcs link.
    virtual void score_parts(const std::vector<Arc>& arcs, SentenceParts& parts) = 0;
    // The tag at a place among those that a word may have.
    virtual int tag_at(int word, int place) const = 0;

    // Of labels that follow the tree: the tree, given by the heads of words 1..n, and then each of its families.
    virtual void set_tree(const int* heads) = 0;
    virtual LabelChain score_labels(const Family& family, const int* known_labels) = 0;

    // Takes the gradient of a loss back: with respect to what `score` and `score_parts` gave for these arcs; and to the
    // chain that `score_labels` gave for this family.
    virtual void add_gradient(const Candidates& candidates, const SentenceParts& parts,
                              const ScoreGradient& gradient) = 0;
    virtual void add_label_gradient(const Family& family, const std::vector<double>& unary,
                                    const std::vector<double>& siblings) = 0;
};

// The scores of a batch of sentences; threads share it.
class Scorer {
public:
    virtual ~Scorer() = default;

    virtual std::size_t sentences() const = 0;
    virtual int length(std::size_t sentence) const = 0;
    virtual ScoreKinds kinds() const = 0;
    // Whether arcs from this head can have the label at all: a label that is known can tell the head.
    virtual bool may_have_label(int head, int label) const = 0;
    virtual std::unique_ptr<SentenceScorer> begin(std::size_t sentence) const = 0;
    // Scores of one sentence, made of some words of a sentence (1..n, in their order); null if it has none for such. A long
    // sentence is parsed by them, piece by piece (pieces.hpp).
    virtual std::unique_ptr<Scorer> excerpt(std::size_t, std::span<const int>) const { return nullptr; }
};

}  // namespace arbora
