#include "linear/word_sums.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

std::uint32_t direction_of(std::uint32_t distance_code) {
    return distance_code == root_code ? root_code : distance_code <= 6 ? left_code : right_code;
}

int side_of(const Template& t, Role role) { return role == Role::head ? t.head : t.modifier; }

template <class Vector>
ARBORA_INLINE Vector reorder(Vector values, Ints8 order) {
#if defined(__clang__)
    Vector result;
    for (int i = 0; i < 8; ++i) result[i] = values[order[i]];
    return result;
#else
    return __builtin_shuffle(values, order);
#endif
}

constexpr Ints8 numbers{0, 1, 2, 3, 4, 5, 6, 7};

ARBORA_INLINE void add_eight(Lanes8 values, float* sums) {
    const Lanes8 total = load_eight(sums) + values;
    std::memcpy(sums, &total, sizeof total);
}

// Adds the 16 weights of a line, weight `low` ^ c to the place of code c: two halves, each shuffled by the low bits.
ARBORA_INLINE void add_line(const float* line, std::uint32_t low, float* sums) {
    const Ints8 order = numbers ^ static_cast<std::int32_t>(low & 7);
    add_eight(reorder(load_eight(line + (low & 8)), order), sums);
    add_eight(reorder(load_eight(line + ((low & 8) ^ 8)), order), sums + 8);
}

// Short weights lie in pairs: the even codes' places come first, then the odd ones'.
ARBORA_INLINE void add_line(const std::int16_t* line, std::uint32_t low, float* sums) {
    Ints8 pairs;
    std::memcpy(&pairs, line, sizeof pairs);
    pairs = reorder(pairs, numbers ^ static_cast<std::int32_t>(low >> 1));
    add_eight(__builtin_convertvector(first_shorts(pairs), Lanes8), sums + (low & 1) * 8);
    add_eight(__builtin_convertvector(second_shorts(pairs), Lanes8), sums + (~low & 1) * 8);
}

template <class Number>
constexpr std::uint32_t place_of(std::uint32_t code) {
    return std::is_integral_v<Number> ? (code & 1) * 8 + code / 2 : code;
}

// Adds weights[index ^ c] for every word and c < 16: all of them lie in one cache line.
template <class Number>
ARBORA_VECTORISED void add_lines(const Number* weights, std::uint32_t mask, std::uint32_t seed,
                                 const std::uint32_t* values, const float* valid, int width,
                                 std::array<float, code_count>* lines) {
    for (int i = 0; i < width; ++i) {
        if (valid[i] == 0) continue;
        const std::uint32_t index = (seed + values[i]) & mask, low = index & 15;
        add_line(weights + (index - low), low, lines[i].data());
    }
}

}  // namespace

template <class Number>
void WordSums::set(const std::vector<Template>& templates, const Prepared& sentence, Role role,
                   WeightTable<Number> weights) {
    const int width = sentence.width();
    sums_.assign(width, {});
    // Templates of the same variants together.
    for (int variants = 1; variants < 8; ++variants) {
        bool any = false;
        for (const Template& t : templates) {
            if (variants != (t.alone | t.direction << 1 | t.distance << 2)) continue;
            if (!std::exchange(any, true)) lines_.assign(width, {});
            const int side = side_of(t, role);
            for (int slot = 0; slot < sentence.slots(side); ++slot)
                add_lines(weights.data, weights.mask, t.seed, sentence.values(side, slot), sentence.valid(side, slot),
                          width, lines_.data());
        }
        for (int i = 0; any && i < width; ++i)
            for (std::uint32_t code = 1; code < code_count; ++code)
                sums_[i][code] += (variants & 1 ? lines_[i][place_of<Number>(0)] : 0) +
                                  (variants & 2 ? lines_[i][place_of<Number>(direction_of(code))] : 0) +
                                  (variants & 4 ? lines_[i][place_of<Number>(code)] : 0);
    }
}

template void WordSums::set(const std::vector<Template>&, const Prepared&, Role, Weights);
template void WordSums::set(const std::vector<Template>&, const Prepared&, Role, ShortWeights);

void WordGradients::clear(int width) {
    values_.assign(width, {});
    seen_.assign(width, 0);
    touched_.clear();
}

void WordGradients::add(int word, std::uint32_t distance_code, float value) {
    values_[word][distance_code] += value;
    if (!std::exchange(seen_[word], 1)) touched_.push_back(word);
}

void WordGradients::spread(const std::vector<Template>& templates, const Prepared& sentence, Role role,
                           std::uint32_t mask, SparseSum& sum) const {
    // Per word: all arcs, the directions (in the places of their codes), the distances.
    thread_local std::vector<std::array<float, code_count>> directions;
    directions.assign(values_.size(), {});
    for (int i : touched_)
        for (std::uint32_t code = 1; code < code_count; ++code) {
            directions[i][0] += values_[i][code];
            directions[i][direction_of(code)] += values_[i][code];
        }
    for (const Template& t : templates) {
        const int side = side_of(t, role);
        for (int slot = 0; slot < sentence.slots(side); ++slot) {
            const std::uint32_t* values = sentence.values(side, slot);
            const float* valid = sentence.valid(side, slot);
            for (int i : touched_) {
                if (valid[i] == 0) continue;
                const std::uint32_t index = (t.seed + values[i]) & mask;
                if (t.alone && directions[i][0] != 0) sum.add(index, directions[i][0]);
                for (std::uint32_t code : {left_code, right_code, root_code})
                    if (t.direction && directions[i][code] != 0) sum.add(index ^ code, directions[i][code]);
                for (std::uint32_t code = 1; t.distance && code < code_count; ++code)
                    if (values_[i][code] != 0) sum.add(index ^ code, values_[i][code]);
            }
        }
    }
}

}  // namespace arbora
