#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace arbora {

// The symbols of binarised trees. 0 is a word that is no constituent by itself; 1 .. complete() are constituents, each
// a label or a chain of labels that hold the same words; after them come intermediate symbols, for what is left of a
// constituent's children when the first of them (the last, if trees grow to the left) is taken off.
//
// An intermediate symbol has a base, the label at the bottom of the chains whose children it can stand for, and is
// found below those, or below itself, on one side only. So every tree has exactly one derivation.
class SpanGrammar {
public:
    static constexpr int word = 0;

    // chains[s] are the labels of symbol s, as numbers, from the top to its base: none for symbol 0, only the base for
    // an intermediate symbol. Throws std::invalid_argument.
    SpanGrammar(const std::vector<std::string>& names, std::vector<std::vector<int>> chains, int complete,
                bool grows_right);

    int symbols() const { return static_cast<int>(chains_.size()); }
    int complete() const { return complete_; }
    int labels() const { return labels_; }
    const std::vector<int>& chain(int symbol) const { return chains_[symbol]; }
    bool grows_right() const { return grows_right_; }
    bool is_intermediate(int symbol) const { return symbol > complete_; }
    std::uint64_t hash(int symbol) const { return hashes_[symbol]; }
    // The intermediate symbol below a constituent; -1 if there is none.
    int intermediate_of(int symbol) const { return intermediates_[symbol]; }

    // Symbols that a span of so many words can have, if it is the whole sentence or not: from first to last - 1.
    int first_symbol(int words) const { return words == 1 ? word : 1; }
    int last_symbol(int words, bool is_whole) const { return words == 1 || is_whole ? complete_ + 1 : symbols(); }

    bool allows(int parent, int left, int right) const {
        const int whole = grows_right_ ? left : right, rest = grows_right_ ? right : left;
        return !is_intermediate(whole) && (!is_intermediate(rest) || chains_[rest].back() == chains_[parent].back());
    }

private:
    std::vector<std::vector<int>> chains_;
    std::vector<int> intermediates_;
    std::vector<std::uint64_t> hashes_;
    int complete_, labels_ = 0;
    bool grows_right_;
};

// A node of a binarised tree over the words start .. end - 1.
struct SpanNode {
    int start, end, symbol;

    bool operator==(const SpanNode&) const = default;
};

}  // namespace arbora
