// What an incremental sigmoid belief network (Titov & Henderson 2007) over left-corner derivations looks like: its
// symbols, the relations that link its vectors of variables, and where each weight is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace arbora::isbn {

// Constituents on the stack and below it that relations look at. The top is what the next decision is about.
enum class Place : std::uint8_t {
    top,
    below,           // the next on the stack
    second_below,    // the one after that
    leftmost,        // child of top
    last,            // child of top
    below_leftmost,  // child of the one below
    below_last,      // child of the one below
};
inline constexpr std::string_view place_names[] = {"top",  "below",          "second-below", "leftmost",
                                                   "last", "below-leftmost", "below-last"};

// What is visible of a constituent.
enum class Attribute : std::uint8_t {
    label,       // or the tag of a word
    word,        // the tag-word, of a word alone
    first_word,  // the tag-words at its ends
    last_word,
    decision,  // the last one, wherever
};
inline constexpr std::string_view attribute_names[] = {"label", "word", "first-word", "last-word", "decision"};

struct InputRelation {
    Place place;
    Attribute attribute;
};

// Elementary decisions, in groups: each is a choice within one group.
enum Action : int { shift, project, attach, end };
inline constexpr int action_count = 4;

// More makes numbers of symbols, decisions or weights overflow.
inline constexpr int most_width = 1 << 20, most_labels = 1 << 28, most_tags = 1 << 28, most_words = 1 << 28;

struct Shape {
    int width = 0;   // variables in a state vector
    int labels = 0;  // of constituents; the root is not among them
    int tags = 0;
    std::vector<int> word_begins;  // of each tag, its tag-words; tags + 1 numbers
    int longest_chain = 1;         // of constituents over the same words
    bool root_takes_many = true;   // children
    std::vector<Place> state_relations;
    std::vector<InputRelation> input_relations;

    int words() const { return word_begins.back(); }
    // Symbols are labels, then tags, then the root; what is visible has one more, for nothing.
    int root_symbol() const { return labels + tags; }
    int tag_symbol(int tag) const { return labels + tag; }
    int symbols() const { return labels + tags + 1; }
    // Rows of decisions: actions, labels, tags, words.
    int first_label() const { return action_count; }
    int first_tag() const { return first_label() + labels; }
    int first_word() const { return first_tag() + tags; }
    int decisions() const { return first_word() + words(); }
    // How many values an attribute has; 0 is nothing.
    int values(Attribute attribute) const;

    // Places in the flat array of weights.
    std::size_t bias_at() const { return 0; }
    std::size_t state_weights_at(int relation) const {
        return width + static_cast<std::size_t>(relation) * width * width;
    }
    std::size_t input_weights_at(int relation) const { return input_begins_[relation]; }
    std::size_t decision_weights_at() const { return input_begins_.back(); }
    std::size_t decision_biases_at() const {
        return decision_weights_at() + static_cast<std::size_t>(decisions()) * width;
    }
    std::size_t weight_count() const { return decision_biases_at() + decisions(); }

    // To be called once all else is set; throws std::invalid_argument if something is wrong.
    void lay_out();

private:
    std::vector<std::size_t> input_begins_;
};

}  // namespace arbora::isbn
