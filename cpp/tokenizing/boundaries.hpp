// Where tokens and sentences end: two linear models over the gaps of a text.
#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/learner.hpp"
#include "linear/weights.hpp"
#include "tokenizing/gap_columns.hpp"
#include "tokenizing/symbols.hpp"

namespace arbora::tokenizing {

// A feature of a gap is the hash of its atoms, from the template's seed.
struct GapTemplate {
    std::uint64_t seed;
    std::vector<GapAtom> atoms;
};
using GapTemplates = std::vector<GapTemplate>;

// What follows a character.
enum Boundary : std::uint8_t { inside, token_end, sentence_end };

// The gaps between symbols left[k] and right[k].
struct Gaps {
    std::vector<std::uint32_t> left, right;

    void clear() {
        left.clear();
        right.clear();
    }
    void add(std::size_t i, std::size_t j) {
        left.push_back(static_cast<std::uint32_t>(i));
        right.push_back(static_cast<std::uint32_t>(j));
    }
    std::size_t size() const { return left.size(); }
};

// The places of the gaps' features in a table with this mask: feature t of gap k is result[t * gaps + k].
void gap_features(const GapColumns& columns, const Gaps& gaps, const GapTemplates& templates, std::uint32_t mask,
                  std::vector<std::uint32_t>& result);

// Between characters of which classes a space can be a part of a token.
class ClassPairs {
public:
    void add(CharClass left, CharClass right) { pairs_[index(left, right)] = true; }
    bool has(CharClass left, CharClass right) const { return pairs_[index(left, right)]; }

private:
    static constexpr std::size_t classes = static_cast<std::size_t>(CharClass::count);
    static std::size_t index(CharClass left, CharClass right) {
        return static_cast<std::size_t>(left) * classes + static_cast<std::size_t>(right);
    }
    std::bitset<classes * classes> pairs_;
};

// How far heads that are found in a sentence may be trusted, for it may begin and end elsewhere, and its tokens too: the
// logarithm of its certainty falls by `words`, and by `ends` times the doubt about each of its ends, which is minus the
// logarithm of their probability.
struct Certainty {
    double words = 0, ends = 0;
};

struct BoundaryModel {
    ClassTable classes;
    GapTemplates token_templates, sentence_templates;
    ShortWeights token_weights, sentence_weights;
    float sentence_threshold;  // the log-odds above which a sentence ends
    ClassPairs spaces_in_tokens;
    Certainty certainty = {};
};

// For every symbol what follows it, and the score of a sentence's end there, if a token ends there: the log-odds.
struct Decisions {
    std::vector<Boundary> boundary;
    std::vector<float> score;
};

// Decides symbols [begin, end), in blocks on several threads. A blank line ends a sentence in any case, and what is no
// token's end is no sentence's.
void decide(const BoundaryModel& model, const Symbols& symbols, std::size_t begin, std::size_t end, int threads,
            Decisions& result);

// Whether a token may go on over this gap: always if nothing is in it, over a space between some characters.
inline bool is_open(const Symbols& symbols, std::size_t i, const ClassPairs& spaces_in_tokens) {
    const std::uint32_t next = symbols.code[i + 1];
    return !is_gap(next) || (next == gap_space && spaces_in_tokens.has(symbols.kind[i], symbols.kind[i + 2]));
}

// One pass over a text, in batches of gaps, blocks of it in random order: logistic loss. `boundary` is gold, for every
// character of the text. Returns the sum of the loss.
struct TrainingText {
    const Symbols& symbols;
    const std::uint8_t* boundary;  // by character
};
double train_token_ends(const TrainingText& text, const GapTemplates& templates, const ClassPairs& spaces_in_tokens,
                        std::uint64_t seed, OnlineLearner& learner);
double train_sentence_ends(const TrainingText& text, const GapTemplates& templates, std::uint64_t seed,
                           OnlineLearner& learner);

}  // namespace arbora::tokenizing
