#pragma once
#include <cstdint>
#include <vector>

#include "linear/atoms.hpp"
#include "linear/templates.hpp"

namespace arbora {

// A sentence ready for templates: everything that depends on one word is hashed once per word, everything that
// depends on what lies between two words once per pair. Word 0 is the root.
class Prepared {
public:
    // Hashes of one side: `slots` rows of n+1, because a set-valued atom gives a word several values.
    struct SideHashes {
        int slots = 0;       // 0: the column is not there, and templates with it cost nothing
        bool full = true;    // no word lacks a value
        std::size_t at = 0;  // where the rows begin
    };

    // Can be used again for the next sentence, which saves allocations. `heads` of words 1..n, or null if no template
    // looks at the tree.
    void set(const Templates& templates, const Encoded& encoded, std::size_t sentence, const int* heads = nullptr);

    int n() const { return n_; }
    int width() const { return n_ + 1; }
    const SideHashes& side(int which) const { return sides_[which]; }
    const std::uint32_t* values(int which, int slot) const {
        return values_.data() + sides_[which].at + static_cast<std::size_t>(slot) * width();
    }
    // 1 where there is a value, 0 where there is none.
    const float* valid(int which, int slot) const {
        return valid_.data() + sides_[which].at + static_cast<std::size_t>(slot) * width();
    }
    // Hashes of arc atoms for the arcs of a head, one per modifier.
    const std::uint32_t* arc_row(int which, int head) const {
        return arcs_.data() + (static_cast<std::size_t>(which) * width() + head) * width();
    }
    // Codes of the arcs of a head, one per modifier.
    const std::uint32_t* distance_row(int head) const { return head ? &distances_[n_ + 1 - head] : root_codes_.data(); }
    const std::uint32_t* direction_row(int head) const {
        return head ? &directions_[n_ + 1 - head] : root_codes_.data();
    }

private:
    void set_side(const Side& side, const Encoded& encoded, std::size_t start, SideHashes& hashes);
    void set_arcs(const Templates& templates, const Encoded& encoded, std::size_t start);
    void set_codes();
    void set_relatives(const int* heads);
    // The word that an offset from word i leads to: 1..n, 0 where there is none, -1 before and n+1 after the sentence.
    int relative(int i, int offset) const;
    std::uint64_t value_at(const Encoded& encoded, std::size_t start, int i, Reference reference) const;

    int n_ = 0;
    bool present_[single_atoms + 1] = {};
    std::vector<SideHashes> sides_;
    std::vector<std::uint32_t> values_, arcs_, distances_, directions_, root_codes_;
    std::vector<float> valid_;
    std::vector<int> first_children_, last_children_, parents_;
};

}  // namespace arbora
