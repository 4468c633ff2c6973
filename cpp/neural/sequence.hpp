// A sentence as an encoder reads it: sub-words between the encoder's marks, and where each word begins.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "encoders/subwords.hpp"

namespace arbora::neural {

// What a word's letters look like, which encoders whose sub-words are in lower case cannot tell. Numbers of rows of a
// model's table, so saved models depend on them.
enum class Shape : std::uint8_t { other, lower, title, upper, capital, mixed, number, continued };
inline constexpr int shape_count = 8;
// Of a form; `continued` is what later sub-words of a word have.
Shape shape_of(std::string_view form);

// Sub-words of one word that are read; words with more are rare and no words.
inline constexpr std::size_t most_subwords = 32;

// The marks between which a sentence stands; the state of the first one stands for the root.
struct Marks {
    int begin, end;
};

struct Sequence {
    std::vector<int> ids;              // with the marks
    std::vector<std::uint8_t> shapes;  // of each sub-word
    std::vector<std::int64_t> firsts;  // where the root and each word begin in `ids`: n + 1
};

void read_sequence(const encoders::Subwords& subwords, Marks marks, const std::vector<std::string_view>& forms,
                   Sequence& sequence);

}  // namespace arbora::neural
