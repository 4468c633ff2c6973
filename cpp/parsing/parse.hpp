#pragma once
#include <cstdint>
#include <limits>

#include "parsing/graph_solving.hpp"
#include "parsing/scorer.hpp"
#include "trees/kbest.hpp"

namespace arbora {

enum class Decoder : std::uint8_t { best, least_risk };

// Seconds that parsing spent on choosing candidates, on scores, on graphs of parts, on finding trees and on labels.
struct StageTimes {
    double pruning = 0, features = 0, graphs = 0, inference = 0, labels = 0;
};

inline constexpr int default_exact_length = 300;

struct ParseOptions {
    TreeKind kind;
    Decoder decoder = Decoder::least_risk;
    bool probabilities = false;
    GraphOptions graph{};  // if there are parts of several arcs
    bool certificates = false;
    // Words of a sentence up to which it is parsed at once; longer ones are parsed in pieces (pieces.hpp).
    int exact_length = default_exact_length;
    StageTimes* times = nullptr;  // where to add them, if they are asked for; for one thread
};

// One sentence's parse, for words 1..n. The probabilities are filled if asked for: that of a word's head, that of its
// label given the tree, and the logarithm of that of the whole labelled tree. Where scores know no labels, those stay as
// they are.
struct ParseRef {
    int* heads;
    int* labels;
    double* head_probabilities;
    double* label_probabilities;
    double log_probability;
    // Of the best tree by a graph: its score, and a bound that no tree exceeds. Both are 0 where the tree is the best
    // without a graph; least risk knows no bound.
    double value = 0, upper_bound = 0;
    // If they are asked for, with the probabilities: of every head of every word ((n + 1) x (n + 1), row by head), and of
    // every label of every word's arc given the tree ((n + 1) x labels).
    double *head_table = nullptr, *label_table = nullptr;
    // If they are asked for, of words that have tags: the most probable ones, and with the probabilities theirs.
    int* tags = nullptr;
    double* tag_probabilities = nullptr;
    int pieces = 1;  // in which the sentence was parsed
    // If it is asked for, with the probabilities: a tree, by the heads of words 1..n, and the logarithm of its probability
    // without labels; not a number if the sentence was parsed in pieces.
    const int* asked_tree = nullptr;
    double asked_log_probability = std::numeric_limits<double>::quiet_NaN();
};

// Throws Infeasible if no tree fits what is given, TooLong if there are too many words to find one.
void parse(const Scorer& scorer, std::size_t sentence, Given given, const ParseOptions& options, ParseRef& result);

// The k most probable labelled trees in order; scores are log-probabilities. With parts of several arcs an
// approximation: the trees are the one that `parse` finds and those that the probabilities of arcs alone put first, in
// the order of their whole scores. Labels are -1 where scores know none.
std::vector<LabelledTree> parse_kbest(const Scorer& scorer, std::size_t sentence, Given given,
                                      const ParseOptions& options, int k);

}  // namespace arbora
