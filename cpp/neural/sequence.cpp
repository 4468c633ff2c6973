#include "neural/sequence.hpp"

#include <algorithm>
#include <string>

#include "support/letters.hpp"

namespace arbora::neural {

Shape shape_of(std::string_view form) {
    thread_local std::u32string letters;
    decode_utf8(form, letters);
    std::size_t upper = 0, others = 0, digits = 0;
    for (char32_t letter : letters) {
        const LetterKind kind = letter_kind(letter);
        upper += kind == LetterKind::upper;
        others += kind == LetterKind::letter;
        digits += kind == LetterKind::digit;
    }
    if (digits && !upper) return Shape::number;
    if (!upper) return others ? Shape::lower : Shape::other;
    if (!others) return upper == 1 ? Shape::capital : Shape::upper;
    return upper == 1 && is_upper(letters.front()) ? Shape::title : Shape::mixed;
}

void read_sequence(const encoders::Subwords& subwords, Marks marks, const std::vector<std::string_view>& forms,
                   Sequence& sequence) {
    sequence.ids.assign(1, marks.begin);
    sequence.shapes.assign(1, static_cast<std::uint8_t>(Shape::other));
    sequence.firsts.assign(1, 0);
    for (std::string_view form : forms) {
        const std::size_t first = sequence.ids.size();
        subwords.cut_word(form, sequence.ids);
        sequence.ids.resize(std::min(sequence.ids.size(), first + most_subwords));
        sequence.firsts.push_back(static_cast<std::int64_t>(first));
        sequence.shapes.push_back(static_cast<std::uint8_t>(shape_of(form)));
        sequence.shapes.resize(sequence.ids.size(), static_cast<std::uint8_t>(Shape::continued));
    }
    sequence.ids.push_back(marks.end);
    sequence.shapes.push_back(static_cast<std::uint8_t>(Shape::other));
}

}  // namespace arbora::neural
