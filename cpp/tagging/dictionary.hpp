// Lists of labels by hashes: which labels a word may have.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace arbora {

// A view of arrays that live elsewhere, often in a model file: keys in rising order, the list of key i is
// labels[starts[i]] to labels[starts[i + 1]].
class Dictionary {
public:
    Dictionary() = default;
    // Throws std::invalid_argument if the arrays do not fit each other, or a label is not below `label_count`.
    Dictionary(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> starts,
               std::span<const std::uint16_t> labels, int label_count);

    // Empty if the key is not there.
    std::span<const std::uint16_t> find(std::uint64_t key) const {
        if (slots_.empty()) return {};
        for (std::size_t slot = key & mask_;; slot = (slot + 1) & mask_) {
            const std::uint32_t at = slots_[slot];
            if (at == 0) return {};
            if (keys_[at - 1] == key) return labels_.subspan(starts_[at - 1], starts_[at] - starts_[at - 1]);
        }
    }

private:
    std::span<const std::uint64_t> keys_;
    std::span<const std::uint32_t> starts_;
    std::span<const std::uint16_t> labels_;
    std::vector<std::uint32_t> slots_;  // the number of a key from 1, by the key's last bits; 0 is free
    std::size_t mask_ = 0;
};

}  // namespace arbora
