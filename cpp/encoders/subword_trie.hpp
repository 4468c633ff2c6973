// Texts and their numbers, found character by character.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace arbora::encoders {

class SubwordTrie {
public:
    static constexpr int root = 0;
    // The texts are the parts of a blob of UTF-8 that end at `ends`, and each has its place as its number; empty ones
    // are left out, and of two that are alike the later one counts. std::invalid_argument if the ends are none.
    SubwordTrie() : slots_(16) {}
    SubwordTrie(std::string_view blob, std::span<const std::int32_t> ends);

    void add(std::u32string_view text, int number);

    // What a step leads to: the next node, and the number of the text that ends there, or -1.
    struct Step {
        int node = -1, number = -1;
    };
    Step step(int node, char32_t c) const {
        const std::uint64_t key = key_of(node, c);
        for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].key == key || slots_[at].key == 0) return slots_[at].found;
    }
    // The node and the number of a whole text.
    Step find(std::u32string_view text) const {
        Step found{root, -1};
        for (std::size_t k = 0; k < text.size() && found.node >= 0; ++k) found = step(found.node, text[k]);
        return found;
    }

private:
    struct Slot {
        std::uint64_t key = 0;  // 0: a free one
        Step found;
    };
    static std::uint64_t key_of(int node, char32_t c) { return (static_cast<std::uint64_t>(node) + 1) << 32 | c; }
    std::size_t place(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15u >> shift_; }
    Slot& slot(std::uint64_t key);
    void grow();

    std::vector<Slot> slots_;
    int shift_ = 60;  // the upper bits of a product are the well-mixed ones
    int nodes_ = 1;
};

}  // namespace arbora::encoders
