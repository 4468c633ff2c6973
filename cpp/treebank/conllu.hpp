// A scanner for the ten-column formats (CoNLL-U, CoNLL-X): bytes in, one sentence of views and problems out.
// It repairs nothing. A sentence with problems is reported with every one of them, in the order of the lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace arbora::treebank {

inline constexpr int kColumns = 10;
inline constexpr std::int32_t kUnknownHead = -1;  // HEAD is `_`: partial annotation

enum class Fault : std::uint8_t {
    byte_order_mark,  // the buffer begins with one
    leading_blank,    // an empty line where a sentence should begin
    columns,          // first: how many columns there are
    empty_field,      // column: which
    bad_id,           // text: the id
    id_order,         // first: the id found; second: the id expected
    range_place,      // text: the id; first: the next word's id
    range_overlap,    // text: the id
    range_end,        // text: the id; first: the number of words
    empty_place,      // text: the id; first, second: the id expected, first.second
    bad_head,         // text: the head
    head_range,       // first: the head; second: the number of words
    several_roots,    // first: the earlier root; second: this one
    cycle,            // words: the cycle
    utf8,             // first: the byte of the line, from 1
    carriage_return,  // one that does not end a line
    mixed_line_ends,  // LF and CRLF in one sentence
    late_comment,     // a comment after the first token
};
const char* name(Fault fault);

struct Problem {
    Fault fault;
    std::int64_t line;  // from 0, within the sentence
    int column = 0;     // from 1; 0 if the whole line is meant
    std::int64_t first = 0, second = 0;
    std::string_view text = {};
    std::vector<std::int32_t> words = {};
};

using Row = std::array<std::string_view, kColumns>;

struct Multiword {
    std::int32_t first, last;
    std::int64_t line;
    Row row;
};

struct EmptyNode {
    std::int32_t after, index;  // the id is after.index
    bool inside;                // written below the line of the multiword token that begins with the next word
    Row row;
};

// All views point into the scanned buffer.
struct Block {
    std::vector<std::string_view> comments;  // with their '#'
    std::vector<Row> words;
    std::vector<std::int32_t> heads;
    std::vector<std::int64_t> word_lines;
    std::vector<Multiword> multiwords;
    std::vector<EmptyNode> empty_nodes;
    std::vector<Problem> problems;
    std::string_view closing;  // all that follows the last row's text: "\n\n" in a tidy file
    bool crlf = false;
    std::size_t bytes = 0;
    std::int64_t lines = 0;

    void clear();
};

// What must hold of heads: nothing; that they are words of the sentence, or 0; also that they make no cycle, or second root.
enum class TreeCheck : std::uint8_t { nothing, range, shape };

struct Options {
    bool single_root = true;
    TreeCheck check = TreeCheck::shape;
    bool words_only = false;     // CoNLL-X: an id such as 3-4 or 3.1 is not an id
    bool first_in_file = false;  // a byte order mark is looked for there only
};

// Scan the sentence at the start of the buffer, with the blank lines after it. False if the buffer ends before the
// sentence is known to (never when `final`); an empty buffer holds no sentence and must not be passed.
bool scan(std::string_view buffer, bool final, const Options& options, Block& block);

// Where that sentence ends, blank lines included, and how many lines that is, without a look at what is in them: what
// `scan` finds too, unless the buffer begins with a byte order mark. 0 bytes if the buffer ends before it is known.
struct Extent {
    std::size_t bytes = 0;
    std::int64_t lines = 0;
};
Extent sentence_extent(std::string_view buffer, bool final);

}  // namespace arbora::treebank
