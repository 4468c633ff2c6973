#include "linear/weights.hpp"

#include <bit>

namespace arbora {

void SparseSum::grow(std::size_t capacity) {
    std::vector<std::uint32_t> keys(capacity, empty), used;
    std::vector<float> values(capacity);
    std::swap(keys, keys_);
    std::swap(values, values_);
    std::swap(used, used_);
    shift_ = 32 - std::countr_zero(capacity);
    for (std::uint32_t slot : used) {
        std::size_t to = place(keys[slot]);
        while (keys_[to] != empty) to = (to + 1) & (capacity - 1);
        keys_[to] = keys[slot];
        values_[to] = values[slot];
        used_.push_back(static_cast<std::uint32_t>(to));
    }
}

}  // namespace arbora
