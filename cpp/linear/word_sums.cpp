#include "linear/word_sums.hpp"

#include <cstring>
#include <utility>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

std::uint32_t direction_of(std::uint32_t distance_code) {
    return distance_code == root_code ? root_code : distance_code <= 6 ? left_code : right_code;
}

int side_of(const Template& t, Role role) { return role == Role::head ? t.head : t.modifier; }

using Lanes8 = float __attribute__((vector_size(32)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));

ARBORA_INLINE Lanes8 reorder(Lanes8 values, Ints8 order) {
#if defined(__clang__)
    Lanes8 result;
    for (int i = 0; i < 8; ++i) result[i] = values[order[i]];
    return result;
#else
    return __builtin_shuffle(values, order);
#endif
}

// line[c] += weights[index ^ c] for every word and c < 16: two halves of a cache line, each shuffled by the low bits.
ARBORA_VECTORISED void add_lines(const float* weights, std::uint32_t mask, std::uint32_t seed,
                                 const std::uint32_t* values, const float* valid, int width,
                                 std::array<float, code_count>* lines) {
    constexpr Ints8 numbers{0, 1, 2, 3, 4, 5, 6, 7};
    for (int i = 0; i < width; ++i) {
        if (valid[i] == 0) continue;
        const std::uint32_t index = (seed + values[i]) & mask, low = index & 15;
        const float* line = weights + (index - low);
        const Ints8 order = numbers ^ static_cast<std::int32_t>(low & 7);
        Lanes8 first, second, sum_first, sum_second;
        std::memcpy(&first, line + (low & 8), sizeof first);
        std::memcpy(&second, line + ((low & 8) ^ 8), sizeof second);
        std::memcpy(&sum_first, lines[i].data(), sizeof first);
        std::memcpy(&sum_second, lines[i].data() + 8, sizeof second);
        sum_first += reorder(first, order);
        sum_second += reorder(second, order);
        std::memcpy(lines[i].data(), &sum_first, sizeof first);
        std::memcpy(lines[i].data() + 8, &sum_second, sizeof second);
    }
}

}  // namespace

void WordSums::set(const std::vector<Template>& templates, const Prepared& sentence, Role role, Weights weights) {
    const int width = sentence.width();
    sums_.assign(width, {});
    // Templates of one company together.
    for (int company = 1; company < 8; ++company) {
        bool any = false;
        for (const Template& t : templates) {
            if (company != (t.alone | t.direction << 1 | t.distance << 2)) continue;
            if (!std::exchange(any, true)) lines_.assign(width, {});
            const int side = side_of(t, role);
            for (int slot = 0; slot < sentence.slots(side); ++slot)
                add_lines(weights.data, weights.mask, t.seed, sentence.values(side, slot), sentence.valid(side, slot),
                          width, lines_.data());
        }
        for (int i = 0; any && i < width; ++i)
            for (std::uint32_t code = 1; code < code_count; ++code)
                sums_[i][code] += (company & 1 ? lines_[i][0] : 0) +
                                  (company & 2 ? lines_[i][direction_of(code)] : 0) +
                                  (company & 4 ? lines_[i][code] : 0);
    }
}

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
