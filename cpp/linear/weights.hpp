#pragma once
#include <cstdint>
#include <vector>

namespace arbora {

// The weight table: 2^bits weights, and after them the padding that LabelFeatures asks for.
struct Weights {
    const float* data;
    std::uint32_t mask;
};

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
