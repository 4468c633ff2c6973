#include "tokenizing/gap_columns.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "linear/hashing.hpp"

namespace arbora::tokenizing {

namespace {

constexpr std::uint64_t none = 0, too_long = 1;

constexpr auto class_seeds = [] {
    std::array<std::uint64_t, char_class_names.size()> seeds{};
    for (std::size_t c = 0; c < seeds.size(); ++c) seeds[c] = name_seed(char_class_names[c]);
    return seeds;
}();
std::uint64_t seed_of(CharClass kind) { return class_seeds[static_cast<std::size_t>(kind)]; }

// What templates call a column, and the column of the same of what lies one further on.
struct NamedColumn {
    std::string_view name;
    Column first, second;
};
constexpr NamedColumn side_columns[]{
    {"run", Column::run, Column::second_run},    {"shape", Column::shape, Column::second_shape},
    {"word", Column::word, Column::second_word}, {"between", Column::between, Column::count},
    {"length", Column::length, Column::count},   {"word-shape", Column::word_shape, Column::count},
    {"marks", Column::marks, Column::count},
};

// A row of symbols being hashed: nothing yet, a hash, or too long to tell.
struct Row {
    std::uint64_t hash = none, shape = none;
    int length = 0;
    CharClass last = CharClass::count;

    void add(std::uint32_t code, CharClass kind, int longest) {
        if (++length > longest) {
            hash = shape = too_long;
            return;
        }
        hash = combine(hash, code);
        if (kind != last) shape = combine(shape, seed_of(kind));
        last = kind;
    }
};

// Their places, and that of digits after them, are part of what models mean, and stay.
constexpr std::string_view mark_characters = "@/:.-_?=";

// Which marks were seen, up to `farthest_mark` symbols ago.
struct Marks {
    std::array<int, mark_characters.size() + 1> age;  // symbols since it was seen

    Marks() { age.fill(farthest_mark); }
    void add(std::uint32_t code, CharClass kind) {
        for (int& steps : age) ++steps;
        if (kind == CharClass::digit) age.back() = 0;
        if (code >= 128) return;
        const std::size_t mark = mark_characters.find(static_cast<char>(code));
        if (mark != std::string_view::npos) age[mark] = 0;
    }
    std::uint64_t seen() const {
        std::uint64_t bits = 0;
        for (std::size_t k = 0; k < age.size(); ++k) bits |= std::uint64_t{age[k] < farthest_mark} << k;
        return bits;
    }
};

// What is known of the symbols on one side, the nearest last.
struct View {
    Row run, second_run, between, word, second_word;
    Marks marks;
    bool in_run = false;

    void add(std::uint32_t code, CharClass kind) {
        if (code == gap_paragraph) {
            *this = {};
            return;
        }
        if (is_word_part(kind)) {
            if (!in_run) {
                second_run = run.length <= longest_run ? run : Row{};
                run = between = {};
                in_run = true;
            }
            run.add(code, kind, longest_run);
            if (run.length > longest_run) second_run = {};
        } else {
            in_run = false;
            between.add(code, kind, longest_between);
            if (between.length > longest_between) run = second_run = {};
        }
        if (is_gap(code)) {
            second_word = word;
            word = {};
            marks = {};
        } else {
            word.add(code, kind, longest_word);
            if (word.length > longest_word) second_word = {};
            marks.add(code, kind);
        }
    }
};

}  // namespace

GapAtom gap_atom(std::string_view place, int offset, std::string_view name) {
    if (place == "gap" && offset == 0 && name == "spaces") return {Column::gap, false, 0};
    const bool right = place == "right";
    const bool is_on_side = right ? offset >= 0 : place == "left" && offset <= 0;
    if (is_on_side && offset > -widest) {
        const int further = right ? offset : -offset;
        if ((name == "char" || name == "class") && further < widest)
            return {name == "char" ? Column::character : Column::kind, right, static_cast<std::uint8_t>(further)};
        for (const NamedColumn& each : side_columns)
            if (each.name == name && further <= (each.second == Column::count ? 0 : 1))
                return {further ? each.second : each.first, right, 0};
    }
    throw std::invalid_argument("there is no such atom of a gap");
}

template <class Step>
void GapColumns::pass(const Symbols& symbols, std::size_t from, std::size_t count, Step step, Side& side) {
    for (auto& column : side) column.resize(count);
    const auto put = [&side](Column column, std::size_t at, std::uint64_t value) {
        side[static_cast<std::size_t>(column)][at] = value;
    };
    View view;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t at = step(k), symbol = from + at;
        view.add(symbols.code[symbol], symbols.kind[symbol]);
        put(Column::run, at, view.run.hash);
        put(Column::second_run, at, view.second_run.hash);
        put(Column::between, at, view.between.hash);
        put(Column::length, at, static_cast<std::uint64_t>(std::min(view.run.length, longest_between)));
        put(Column::shape, at, view.run.shape);
        put(Column::second_shape, at, view.second_run.shape);
        put(Column::word, at, view.word.hash);
        put(Column::second_word, at, view.second_word.hash);
        put(Column::word_shape, at, view.word.shape);
        put(Column::marks, at, view.marks.seen());
    }
}

void GapColumns::read(const Symbols& symbols, std::size_t begin, std::size_t end) {
    const std::size_t from = begin - std::min<std::size_t>(begin, context);
    const std::size_t to = std::min(symbols.size(), end + context);
    const std::size_t count = to - from;
    origin_ = from;
    pass(symbols, from, count, [](std::size_t k) { return k; }, left_);
    pass(symbols, from, count, [count](std::size_t k) { return count - 1 - k; }, right_);
    auto& characters = left_[static_cast<std::size_t>(Column::character)];
    auto& kinds = left_[static_cast<std::size_t>(Column::kind)];
    auto& gaps = left_[static_cast<std::size_t>(Column::gap)];
    for (std::size_t k = 0; k < count; ++k) {
        characters[k] = mix_bits(symbols.code[from + k] + 1u);
        kinds[k] = seed_of(symbols.kind[from + k]);
        const bool gap = k + 1 < count && is_gap(symbols.code[from + k + 1]);
        gaps[k] = gap ? symbols.code[from + k + 1] - gap_space + 1 : none;
    }
}

const std::uint64_t* GapColumns::values(GapAtom atom) const {
    const std::size_t column = static_cast<std::size_t>(atom.column);
    const bool either = atom.column <= Column::gap;
    const std::uint64_t* rows = (either || !atom.right ? left_ : right_)[column].data() - origin_;
    return atom.right ? rows + atom.place : rows - atom.place;
}

}  // namespace arbora::tokenizing
