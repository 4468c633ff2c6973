#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arbora {

// A weight table: 2^bits weights, and after them the padding that LabelFeatures asks for. Weight i is step * data[i].
template <class Number>
struct WeightTable {
    const Number* data;
    std::uint32_t mask;
    float step = 1;
};

// What is learned.
using Weights = WeightTable<float>;
// What a parser has. Half the memory is worth a quarter more speed, because most look-ups miss the caches; and the step
// is a power of two, so scores are what they would be if the same weights were floats.
using ShortWeights = WeightTable<std::int16_t>;

// Fills the result with multiples of a step, the nearest to the weights, and returns the step: the power of two with
// which the greatest weight takes all 16 bits. Weights must be finite.
float round_weights(const float* weights, std::size_t count, std::int16_t* result);

// Weights of eight bits: code q of a block of 256 with the greatest weight p stands for sign(q) (q / 127)^2 p.
struct CompactWeights {
    std::span<const std::int8_t> codes;
    std::span<const float> peaks;  // one a block
    const std::uint8_t* is_kept;   // which weights have a code, 0 or 1 each; null if all have
};
// round_weights of what they stand for. There must be a code for each of `count` weights that is kept.
float round_weights(const CompactWeights& weights, std::size_t count, std::int16_t* result);

// A sparse vector being summed: a hash table that forgets in the time of what it holds.
class SparseSum {
public:
    SparseSum() { grow(1 << 12); }

    void add(std::uint32_t index, float value) {
        std::size_t slot = place(index);
        while (keys_[slot] != index) {
            if (keys_[slot] == empty) {
                keys_[slot] = index;
                values_[slot] = 0;
                used_.push_back(static_cast<std::uint32_t>(slot));
                if (2 * used_.size() > keys_.size()) {
                    grow(2 * keys_.size());
                    add(index, value);
                    return;
                }
                break;
            }
            slot = (slot + 1) & (keys_.size() - 1);
        }
        values_[slot] += value;
    }

    std::size_t size() const { return used_.size(); }
    // body(index, value) in the order of first addition.
    template <class Body>
    void for_each(Body body) const {
        for (std::uint32_t slot : used_) body(keys_[slot], values_[slot]);
    }
    void clear() {
        for (std::uint32_t slot : used_) keys_[slot] = empty;
        used_.clear();
    }

private:
    static constexpr std::uint32_t empty = 0xffffffff;

    std::size_t place(std::uint32_t index) const { return (index * 0x9e3779b1u) >> shift_; }
    void grow(std::size_t capacity);

    std::vector<std::uint32_t> keys_, used_;
    std::vector<float> values_;
    int shift_ = 0;
};

}  // namespace arbora
