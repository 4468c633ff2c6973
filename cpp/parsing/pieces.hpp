// Sentences that are too long to be parsed at once: time and memory of charts, graphs and tables grow with the square of
// the length or its cube.
#pragma once
#include "parsing/parse.hpp"

namespace arbora {

// Parses a sentence in pieces: false, and nothing is done, if the scorer has no scores of excerpts.
//
// A piece is a run of words, cut where few arcs cross, and is parsed as if it were a sentence. What is left are the tops of
// the pieces: the tree over them is that of one more sentence, made of the tops alone (in pieces again, if it is long). So
// candidates for a word's head are the words of its piece, and for a top the other tops. All of it is a tree, projective if
// its parts are. Time and memory grow with the length. The probability of a top's head is that of being the top times that
// of the head among the tops; those of all heads of a word sum to one.
//
// Heads that are given bind, in other pieces too: a word that is below another one of its piece by way of words outside is
// below it while the piece is parsed, and a piece with words that have heads elsewhere has no other top. If trees must be
// projective, arcs of pieces that cross given ones are replaced (planar_forest.hpp); heads found so have the probability 0.
bool parse_in_pieces(const Scorer& scorer, std::size_t sentence, Given given, const ParseOptions& options,
                     ParseRef& result);

// Throws TooLong if a sentence of n words cannot be parsed at once, for scorers that have no excerpts.
void check_exact_length(int n, TreeKind kind);
// The same for k best trees, which are never found in pieces.
void check_kbest_length(int n, const ParseOptions& options);

}  // namespace arbora
