// The tagger: three stages, one after the other, each of which sees what the ones before it found.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "tagging/stage.hpp"

namespace arbora {

// UPOS; then XPOS and FEATS, which are one label; then the lemma's edit script.
inline constexpr int stage_count = 3, upos_stage = 0, morph_stage = 1, lemma_stage = 2;

struct TrainedStage {
    const Stage* stage;
    ShortWeights weights;
    double scale = 1;  // scores are multiplied by it to make log-probabilities
};

// Everything that tagging needs, read only.
struct Tagger {
    const Dictionary* classes;  // of forms in lower case
    std::array<TrainedStage, stage_count> stages;
    // What the labels of the first two stages are as the atoms `upos` and `morph`.
    std::array<std::vector<std::uint64_t>, 2> label_atoms;
    const TagNames* names;
    const LabelsByName* by_name;
};

// Sets the atom `known-tags` of all words: the number of the class of the form in lower case, 0 if it has none.
void set_classes(const Dictionary& classes, Words& words);

// What is to be found beside the best labels: their probabilities; the UPOS tags that a word may have, at most so many, none
// less probable than `least` but the best.
struct TaggingOptions {
    bool probabilities = false;
    int candidates = 0;
    double least = 0;
};

struct TagProbability {
    int tag;
    double probability;
};

// What was found for one sentence: a label of each word in each stage, and, if it was asked for, its probability given
// what earlier stages found; and the UPOS tags that it may have, its own first, then the most probable.
struct Tagged {
    std::array<std::vector<int>, stage_count> labels;
    std::array<std::vector<double>, stage_count> probabilities;
    std::vector<std::vector<TagProbability>> candidates;
};

// The best labels; the words are set from these forms, and get the atoms that stages find. `given` has tags of all words,
// or is empty: candidates that agree with them are the only ones, if there are some, and the atoms are those of given
// tags, even of such as no label has.
void tag(const Tagger& tagger, Words& words, std::span<const std::string_view> forms, std::span<const GivenTags> given,
         const TaggingOptions& options, Tagged& found);

// The chain of UPOS tags; the scores of rows are log-probabilities, up to one sum for all of them.
void fill_tags(const Tagger& tagger, Words& words, std::span<const std::string_view> forms,
               std::span<const GivenTags> given, Lattice& lattice);

// The lemma that a script makes of a form.
void make_lemma(const EditScript& script, std::string_view form, std::string& lemma);

// One stage's best labels for words that have the atoms of earlier stages; leaves the lattice.
void choose_labels(const Stage& stage, ShortWeights weights, const Words& words,
                   std::span<const std::string_view> forms, Lattice& lattice, std::vector<int>& labels,
                   const WantedLabels* wanted = nullptr);

}  // namespace arbora
