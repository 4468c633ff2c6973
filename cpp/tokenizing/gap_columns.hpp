// What features of the gaps between characters are made of: a row of hashes for each kind of atom.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizing/symbols.hpp"

namespace arbora::tokenizing {

// A gap lies between a character on its left and the next that is no space on its right. Atoms look from there to one
// side. A run is a row of letters and digits, a word one of characters that are no spaces; `between` is what lies
// between the gap and the nearest run, spaces included. Shapes are classes, repeated ones written once. Marks are which
// of the characters @ / : . - _ ? = and digits the word has. The order means nothing: templates have seeds by names.
enum class Column : std::uint8_t {
    character,
    kind,
    gap,
    run,
    second_run,
    between,
    length,
    shape,
    second_shape,
    word,
    second_word,
    word_shape,
    marks,
    count
};
inline constexpr int column_count = static_cast<int>(Column::count);

// Beyond these lengths all are alike, so that an atom depends on no more than `context` symbols.
inline constexpr int longest_run = 16, longest_between = 8, longest_word = 24, farthest_mark = 40, context = 64;

// An atom of a template: a column, on one side of the gap; for characters and their kinds, the how-manieth there.
struct GapAtom {
    Column column;
    bool right;
    std::uint8_t place;  // from 0, away from the gap
};

// The atom that templates call so: `left`, `right` or `gap`, how far from the gap, and the name. Throws
// std::invalid_argument if there is none.
GapAtom gap_atom(std::string_view place, int offset, std::string_view name);

// Hashes for symbols [begin, end) of a text, seen from the left (they end there) or from the right.
class GapColumns {
public:
    void read(const Symbols& symbols, std::size_t begin, std::size_t end);

    // The atom's values by symbol: atom of gap (i, j) is values(atom)[right ? j : i].
    const std::uint64_t* values(GapAtom atom) const;

private:
    using Side = std::array<std::vector<std::uint64_t>, column_count>;
    template <class Step>
    static void pass(const Symbols& symbols, std::size_t from, std::size_t count, Step step, Side& side);

    Side left_, right_;
    std::size_t origin_ = 0;  // the symbol that the first row is about
};

// The symbol right of the gap after symbol i.
inline std::size_t after_gap(const Symbols& symbols, std::size_t i) {
    return i + (is_gap(symbols.code[i + 1]) ? 2 : 1);
}

}  // namespace arbora::tokenizing
