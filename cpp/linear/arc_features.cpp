#include "linear/arc_features.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "support/vectorise.hpp"

namespace arbora {
namespace {

constexpr int codes = 16;
using CodeSums = std::array<float, codes>;

// ---- one word: a sum for each of the 16 codes, then a look-up per arc ----

std::uint32_t direction_of_code(std::uint32_t code) {
    return code == root_code ? root_code : code <= 6 ? left_code : right_code;
}

void sum_codes(const Template& t, const Prepared& sentence, int side, Weights weights, std::vector<CodeSums>& sums) {
    const auto& hashes = sentence.side(side);
    for (int slot = 0; slot < hashes.slots; ++slot) {
        const std::uint32_t* values = sentence.values(side, slot);
        const float* valid = sentence.valid(side, slot);
        for (int i = 0; i < sentence.width(); ++i) {
            if (valid[i] == 0) continue;
            const std::uint32_t index = (t.seed + values[i]) & weights.mask;
            const float* w = weights.data;
            for (std::uint32_t code = 1; code < codes; ++code) {
                float sum = t.alone ? w[index] : 0;
                if (t.direction) sum += w[index ^ direction_of_code(code)];
                if (t.distance) sum += w[index ^ code];
                sums[i][code] += sum;
            }
        }
    }
}

void spread_codes(const Template& t, const Prepared& sentence, int side, std::uint32_t mask,
                  const std::vector<CodeSums>& gradient, const std::vector<int>& touched, SparseSum& sum) {
    const auto& hashes = sentence.side(side);
    for (int slot = 0; slot < hashes.slots; ++slot) {
        const std::uint32_t* values = sentence.values(side, slot);
        const float* valid = sentence.valid(side, slot);
        for (int i : touched) {
            if (valid[i] == 0) continue;
            const std::uint32_t index = (t.seed + values[i]) & mask;
            float all = 0, left = 0, right = 0;
            for (std::uint32_t code = 1; code <= 12; ++code) {
                const float g = gradient[i][code];
                (code <= 6 ? left : right) += g;
                if (t.distance && g != 0) sum.add(index ^ code, g);
            }
            const float root = gradient[i][root_code];
            all = left + right + root;
            if (t.distance && root != 0) sum.add(index ^ root_code, root);
            if (t.direction) {
                if (left != 0) sum.add(index ^ left_code, left);
                if (right != 0) sum.add(index ^ right_code, right);
                if (root != 0) sum.add(index ^ root_code, root);
            }
            if (t.alone && all != 0) sum.add(index, all);
        }
    }
}

// ---- two words: a row of modifiers for each head ----

struct Row {
    const float* weights;
    std::uint32_t mask, start;              // seed and head
    const std::uint32_t *modifiers, *arcs;  // hashes per modifier; arcs may be null
    const float* valid;                     // null if all are
    const std::uint32_t *directions, *distances;
    float* scores;
    int width;
};

template <bool alone, bool direction, bool distance, bool masked, bool arc>
[[gnu::always_inline]] inline void add_row_body(const Row& row) {
    const float* __restrict w = row.weights;
    float* __restrict scores = row.scores;
    const std::uint32_t mask = row.mask, start = row.start;
    for (int m = 1; m < row.width; ++m) {
        std::uint32_t index = start + row.modifiers[m];
        if constexpr (arc) index += row.arcs[m];
        index &= mask;
        float sum = 0;
        if constexpr (alone) sum += w[index];
        if constexpr (direction) sum += w[index ^ row.directions[m]];
        if constexpr (distance) sum += w[index ^ row.distances[m]];
        if constexpr (masked) sum *= row.valid[m];
        scores[m] += sum;
    }
}

template <bool alone, bool direction, bool distance, bool masked, bool arc>
void add_row(const Row& row) {
    add_row_body<alone, direction, distance, masked, arc>(row);
}

using RowFunction = void (*)(const Row&);

template <std::size_t bits>
constexpr RowFunction row_function() {
    return add_row<(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0>;
}

template <std::size_t... bits>
constexpr std::array<RowFunction, sizeof...(bits)> all_row_functions(std::index_sequence<bits...>) {
    return {row_function<bits>()...};
}

constexpr auto row_functions = all_row_functions(std::make_index_sequence<32>());

RowFunction row_function_for(const Template& t, bool masked) {
    return row_functions[(t.alone ? 1 : 0) | (t.direction ? 2 : 0) | (t.distance ? 4 : 0) | (masked ? 8 : 0) |
                         (t.arc >= 0 ? 16 : 0)];
}

int slots_of(const Prepared& sentence, int side) { return side < 0 ? 1 : sentence.side(side).slots; }

bool is_valid(const Prepared& sentence, int side, int slot, int i) {
    return side < 0 || sentence.valid(side, slot)[i] != 0;
}

std::uint32_t hash_at(const Prepared& sentence, int side, int slot, int i) {
    return side < 0 ? 0 : sentence.values(side, slot)[i];
}

// body(index) for each company of a template at an arc.
template <class Body>
void for_company(const Template& t, std::uint32_t index, int head, int modifier, Body body) {
    if (t.alone) body(index);
    if (t.direction) body(index ^ direction_code(head, modifier));
    if (t.distance) body(index ^ distance_code(head, modifier));
}

// ---- a word between: prefix sums for each pair of different head and modifier values ----

// Numbers the different values of a side's words from `first` on; missing ones get -1.
struct Classes {
    std::vector<int> of;
    std::vector<std::uint32_t> values;

    Classes(const Prepared& sentence, int side, int first) : of(sentence.width(), -1) {
        if (side < 0) {
            std::fill(of.begin() + first, of.end(), 0);
            values.push_back(0);
            return;
        }
        const std::uint32_t* hashes = sentence.values(side, 0);
        const float* valid = sentence.valid(side, 0);
        for (int i = first; i < sentence.width(); ++i) {
            if (valid[i] == 0) continue;
            const auto found = std::find(values.begin(), values.end(), hashes[i]);
            of[i] = static_cast<int>(found - values.begin());
            if (found == values.end()) values.push_back(hashes[i]);
        }
    }
};

void score_between(const Template& t, const Prepared& sentence, Weights weights, float* scores) {
    const Classes heads(sentence, t.head, 0), modifiers(sentence, t.modifier, 1);
    const int width = sentence.width();
    const int slots = sentence.side(t.between).slots;
    std::vector<double> prefix(2 * width);
    double* left = prefix.data();
    double* right = left + width;
    for (std::size_t hc = 0; hc < heads.values.size(); ++hc)
        for (std::size_t mc = 0; mc < modifiers.values.size(); ++mc) {
            const std::uint32_t start = t.seed + heads.values[hc] + modifiers.values[mc];
            double left_sum = 0, right_sum = 0;
            for (int k = 1; k < width; ++k) {
                left[k - 1] = left_sum;  // sums over words before k
                right[k - 1] = right_sum;
                for (int slot = 0; slot < slots; ++slot) {
                    if (!is_valid(sentence, t.between, slot, k)) continue;
                    const std::uint32_t index = (start + hash_at(sentence, t.between, slot, k)) & weights.mask;
                    const double alone = t.alone ? weights.data[index] : 0;
                    left_sum += alone + (t.direction ? weights.data[index ^ left_code] : 0);
                    right_sum += alone + (t.direction ? weights.data[index ^ right_code] : 0);
                }
            }
            for (int h = 0; h < width; ++h) {
                if (heads.of[h] != static_cast<int>(hc)) continue;
                float* row = scores + static_cast<std::size_t>(h) * width;
                for (int m = 1; m < width; ++m) {
                    if (modifiers.of[m] != static_cast<int>(mc) || m == h) continue;
                    row[m] += static_cast<float>(m > h ? right[m - 1] - right[h] : left[h - 1] - left[m]);
                }
            }
        }
}

}  // namespace

ArcFeatures::ArcFeatures(const Templates& templates) {
    for (const Template& t : templates.all()) {
        if (t.between >= 0)
            between_.push_back(t);
        else if (t.arc < 0 && t.modifier < 0)
            head_only_.push_back(t);
        else if (t.arc < 0 && t.head < 0)
            modifier_only_.push_back(t);
        else
            pairs_.push_back(t);
    }
}

void ArcFeatures::score(const Prepared& sentence, Weights weights, float* scores) const {
    const int width = sentence.width();
    thread_local std::vector<CodeSums> of_head, of_modifier;
    thread_local std::vector<std::uint32_t> zeros;
    of_head.assign(width, {});
    of_modifier.assign(width, {});
    zeros.assign(width, 0);
    for (const Template& t : head_only_) sum_codes(t, sentence, t.head, weights, of_head);
    for (const Template& t : modifier_only_) sum_codes(t, sentence, t.modifier, weights, of_modifier);
    for (int h = 0; h < width; ++h) {
        float* row = scores + static_cast<std::size_t>(h) * width;
        const std::uint32_t *directions = sentence.direction_row(h), *distances = sentence.distance_row(h);
        row[0] = 0;
        for (int m = 1; m < width; ++m) row[m] = of_head[h][distances[m]] + of_modifier[m][distances[m]];
        for (const Template& t : pairs_) {
            const int head_slots = slots_of(sentence, t.head), modifier_slots = slots_of(sentence, t.modifier);
            for (int hs = 0; hs < head_slots; ++hs) {
                if (!is_valid(sentence, t.head, hs, h)) continue;
                for (int ms = 0; ms < modifier_slots; ++ms) {
                    const bool masked = t.modifier >= 0 && !sentence.side(t.modifier).full;
                    row_function_for(t, masked)(
                        {weights.data, weights.mask, t.seed + hash_at(sentence, t.head, hs, h),
                         t.modifier < 0 ? zeros.data() : sentence.values(t.modifier, ms),
                         t.arc < 0 ? nullptr : sentence.arc_row(t.arc, h),
                         masked ? sentence.valid(t.modifier, ms) : nullptr, directions, distances, row, width});
                }
            }
        }
    }
    for (const Template& t : between_)
        if (slots_of(sentence, t.head) && slots_of(sentence, t.modifier) && slots_of(sentence, t.between))
            score_between(t, sentence, weights, scores);
}

void ArcFeatures::score(const Prepared& sentence, Weights weights, const std::vector<Arc>& arcs,
                        float* scores) const {
    const int width = sentence.width();
    const std::size_t count = arcs.size();
    thread_local std::vector<CodeSums> of_head, of_modifier;
    thread_local std::vector<std::uint32_t> distances, directions, indices;
    of_head.assign(width, {});
    of_modifier.assign(width, {});
    for (const Template& t : head_only_) sum_codes(t, sentence, t.head, weights, of_head);
    for (const Template& t : modifier_only_) sum_codes(t, sentence, t.modifier, weights, of_modifier);
    distances.resize(count);
    directions.resize(count);
    indices.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [h, m] = arcs[i];
        distances[i] = distance_code(h, m);
        directions[i] = direction_code(h, m);
        scores[i] = of_head[h][distances[i]] + of_modifier[m][distances[i]];
    }
    const float* w = weights.data;
    for (const Template& t : pairs_)
        for (int hs = 0; hs < slots_of(sentence, t.head); ++hs)
            for (int ms = 0; ms < slots_of(sentence, t.modifier); ++ms) {
                const bool masked = (t.head >= 0 && !sentence.side(t.head).full) ||
                                    (t.modifier >= 0 && !sentence.side(t.modifier).full);
                for (std::size_t i = 0; i < count; ++i) {
                    const auto [h, m] = arcs[i];
                    indices[i] = (t.seed + hash_at(sentence, t.head, hs, h) + hash_at(sentence, t.modifier, ms, m) +
                                  (t.arc < 0 ? 0 : sentence.arc_row(t.arc, h)[m])) & weights.mask;
                    __builtin_prefetch(w + indices[i]);
                }
                for (std::size_t i = 0; i < count; ++i) {
                    const auto [h, m] = arcs[i];
                    if (masked && (!is_valid(sentence, t.head, hs, h) || !is_valid(sentence, t.modifier, ms, m)))
                        continue;
                    float sum = t.alone ? w[indices[i]] : 0;
                    if (t.direction) sum += w[indices[i] ^ directions[i]];
                    if (t.distance) sum += w[indices[i] ^ distances[i]];
                    scores[i] += sum;
                }
            }
    for (const Template& t : between_) {
        if (!slots_of(sentence, t.head) || !slots_of(sentence, t.modifier)) continue;
        for (std::size_t i = 0; i < count; ++i) {
            const auto [h, m] = arcs[i];
            if (!is_valid(sentence, t.head, 0, h) || !is_valid(sentence, t.modifier, 0, m)) continue;
            const std::uint32_t start = t.seed + hash_at(sentence, t.head, 0, h) + hash_at(sentence, t.modifier, 0, m);
            const std::uint32_t direction = m < h ? left_code : right_code;
            double sum = 0;
            for (int k = std::min(h, m) + 1; k < std::max(h, m); ++k)
                for (int slot = 0; slot < slots_of(sentence, t.between); ++slot) {
                    if (!is_valid(sentence, t.between, slot, k)) continue;
                    const std::uint32_t index = (start + hash_at(sentence, t.between, slot, k)) & weights.mask;
                    sum += (t.alone ? w[index] : 0) + (t.direction ? w[index ^ direction] : 0);
                }
            scores[i] += static_cast<float>(sum);
        }
    }
}

void ArcFeatures::add_gradient(const Prepared& sentence, std::uint32_t mask, const std::vector<ArcGradient>& arcs,
                               SparseSum& sum) const {
    const int width = sentence.width();
    std::vector<CodeSums> of_head(width), of_modifier(width);
    std::vector<int> heads, modifiers;
    std::vector<char> seen(2 * width);
    for (const ArcGradient& arc : arcs) {
        const std::uint32_t code = distance_code(arc.head, arc.modifier);
        of_head[arc.head][code] += arc.value;
        of_modifier[arc.modifier][code] += arc.value;
        if (!std::exchange(seen[arc.head], 1)) heads.push_back(arc.head);
        if (!std::exchange(seen[width + arc.modifier], 1)) modifiers.push_back(arc.modifier);
    }
    for (const Template& t : head_only_) spread_codes(t, sentence, t.head, mask, of_head, heads, sum);
    for (const Template& t : modifier_only_) spread_codes(t, sentence, t.modifier, mask, of_modifier, modifiers, sum);
    for (const Template& t : pairs_)
        for (int hs = 0; hs < slots_of(sentence, t.head); ++hs)
            for (int ms = 0; ms < slots_of(sentence, t.modifier); ++ms)
                for (const auto& [h, m, value] : arcs) {
                    if (!is_valid(sentence, t.head, hs, h) || !is_valid(sentence, t.modifier, ms, m)) continue;
                    const std::uint32_t arc_hash = t.arc < 0 ? 0 : sentence.arc_row(t.arc, h)[m];
                    const std::uint32_t index = (t.seed + hash_at(sentence, t.head, hs, h) +
                                                 hash_at(sentence, t.modifier, ms, m) + arc_hash) & mask;
                    for_company(t, index, h, m, [&, v = value](std::uint32_t i) { sum.add(i, v); });
                }
    for (const Template& t : between_)
        for (const auto& [h, m, value] : arcs) {
            if (slots_of(sentence, t.head) == 0 || slots_of(sentence, t.modifier) == 0) continue;
            if (!is_valid(sentence, t.head, 0, h) || !is_valid(sentence, t.modifier, 0, m)) continue;
            const std::uint32_t start = t.seed + hash_at(sentence, t.head, 0, h) + hash_at(sentence, t.modifier, 0, m);
            for (int k = std::min(h, m) + 1; k < std::max(h, m); ++k)
                for (int slot = 0; slot < slots_of(sentence, t.between); ++slot) {
                    if (!is_valid(sentence, t.between, slot, k)) continue;
                    const std::uint32_t index = (start + hash_at(sentence, t.between, slot, k)) & mask;
                    if (t.alone) sum.add(index, value);
                    if (t.direction) sum.add(index ^ (m < h ? left_code : right_code), value);
                }
        }
}

}  // namespace arbora
