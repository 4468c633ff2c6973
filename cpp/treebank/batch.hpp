// Sentences in memory, on their way through components: every component reads columns and adds to them, and text is
// made of them once, at the end (rendering.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/text_arena.hpp"
#include "treebank/conllu.hpp"

namespace arbora::treebank {

// A tag that a word may have, for a later component to choose among.
struct TagCandidate {
    std::string_view tag;
    double probability;
};

// A number of each word, by the name that MISC has for it, such as HeadProbability.
struct WordNumbers {
    std::string_view name;
    std::vector<double> values;
};

// A number of the whole sentence, by the name that a comment has for it.
enum class NoteKind : std::uint8_t {
    measure,      // six decimals
    count,        // a whole number
    certificate,  // how far the tree's score may be from the best: 0 is proved, infinite is unknown
    rounded,      // the same of a tree that was made from fractions
};
struct Note {
    std::string_view name;
    NoteKind kind;
    double value;
};

// A phrase with its label, over the words from `begin` up to `end`, which is not in it; not a number is a probability
// that nobody asked for.
struct Constituent {
    std::string_view label;
    std::int32_t begin, end;
    double probability;
};

// Where a token stands in the text that it comes from, in characters.
struct TextSpan {
    std::uint64_t begin, end;
};

// Why a component could do nothing for a sentence: a code for programs, a reason for people.
struct Refusal {
    const char* code = nullptr;  // null: it could
    std::string reason = {};
    int word = 0;  // the one that is the reason, if it is one
};

// An arc that no tree may have; its head may be the root, 0.
struct ForbiddenArc {
    int head, modifier;
};

// Where a sentence begins in its file, and which one it is, both counted from 1; 0 if it comes from none. Its words have
// lines of their own, or not.
struct FilePlace {
    std::int64_t line = 0, number = 0;
    bool has_word_lines = true;
};

// One sentence. The columns are views: of the source, of the names of models, of `texts`; but heads are numbers.
struct AnnotatedSentence {
    Block block;
    // What was found of words beside their columns; empty where nobody asked.
    std::vector<WordNumbers> numbers;
    std::vector<std::vector<TagCandidate>> tag_candidates;
    bool shows_candidates = false;         // in MISC
    std::vector<std::string_view> erased;  // keys of MISC that are no longer true
    std::vector<Note> notes;
    std::vector<TextSpan> spans;  // of the words' tokens
    double certainty = 1;  // by what heads' probabilities are multiplied, for the text may have been cut elsewhere
    std::vector<Constituent> constituents;  // of a tree of phrases, parents first; empty where nobody found one
    std::vector<ForbiddenArc> forbidden;    // where trees must keep to what MISC says (forbidden.hpp)
    Refusal refusal;
    FilePlace place;
    std::shared_ptr<TextArena> texts = std::make_shared<TextArena>();
    std::vector<std::shared_ptr<const void>> owners = {};  // of texts that were made for the one it is a copy of

    std::size_t words() const { return block.words.size(); }
    // The same sentence, to be given other columns.
    AnnotatedSentence copy() const;
    // These replace what is there under the same name; they come last then.
    void add_numbers(std::string_view name, std::vector<double> values);
    void add_note(Note note);
};

// Sentences that are worked on together.
struct Batch {
    std::vector<AnnotatedSentence> sentences;
    std::vector<std::shared_ptr<const void>> owners;  // of what columns look at

    // In the first `count` sentences, or in all.
    std::size_t words(std::size_t count = static_cast<std::size_t>(-1)) const;
    // How many sentences come before the first one that was refused.
    std::size_t sound() const;
};

// A sentence that breaks the format, which is no part of the batch.
struct BrokenSentence {
    std::size_t begin, bytes;  // of the text
    FilePlace place;
};

// The sentences that are known to have ended in the text (`final`: nothing follows it), up to the first that breaks the
// format, or with `skip` all others. `text` must live as long as `owner` does.
struct ReadBatch {
    Batch batch;
    std::size_t bytes = 0;  // how much of the text these sentences are
    FilePlace next;         // of the sentence after them
    std::vector<BrokenSentence> broken;
};
struct ReadOptions {
    bool final = true;
    TreeCheck check = TreeCheck::shape;
    bool skip = false;  // what breaks the format
    FilePlace first = {1, 1};
    int threads = 1;
};
ReadBatch read_conllu(std::string_view text, std::shared_ptr<const void> owner, const ReadOptions& options);

}  // namespace arbora::treebank
