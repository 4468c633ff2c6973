#include "tagging/dictionary.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace arbora {

Dictionary::Dictionary(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> starts,
                       std::span<const std::uint16_t> labels, int label_count)
    : keys_(keys), starts_(starts), labels_(labels) {
    if (starts.size() != keys.size() + 1 || starts.front() != 0 || starts.back() != labels.size() ||
        !std::is_sorted(starts.begin(), starts.end()))
        throw std::invalid_argument("the lists of a dictionary do not fit its keys");
    if (std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) != keys.end())
        throw std::invalid_argument("the keys of a dictionary must rise");
    if (std::any_of(labels.begin(), labels.end(), [&](int label) { return label >= label_count; }))
        throw std::invalid_argument("a dictionary has a label that there is not");
    slots_.resize(std::bit_ceil(2 * keys.size() + 2));
    mask_ = slots_.size() - 1;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::size_t slot = keys[i] & mask_;
        while (slots_[slot]) slot = (slot + 1) & mask_;
        slots_[slot] = static_cast<std::uint32_t>(i + 1);
    }
}

}  // namespace arbora
