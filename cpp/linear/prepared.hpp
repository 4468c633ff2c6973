#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "linear/atoms.hpp"
#include "linear/templates.hpp"

namespace arbora {

// A sentence ready for templates: everything that depends on one word is hashed once per word, everything that
// depends on what lies between two words once per pair. Word 0 is the root. Can be used again for the next sentence,
// which saves allocations.
class Prepared {
public:
    // Hashes of one side: `slots` rows of n+1, because a set-valued atom gives a word several values.
    struct SideHashes {
        int slots = 0;       // 0: the column is not there, and templates with it cost nothing
        bool full = true;    // no word lacks a value
        std::size_t at = 0;  // where the rows begin
        // Where the rows of `valid` and the counts begin, if it is not full.
        std::size_t valid_at = 0, counts_at = 0;
    };

    // Prepares for the templates of some sections (bits), but for sides that look at a tree.
    void set(const Templates& templates, const Encoded& encoded, std::size_t sentence, unsigned sections);
    // Prepares those sides too: heads of words 1..n.
    void set_tree(const Templates& templates, const Encoded& encoded, std::size_t sentence, const int* heads);

    int n() const { return n_; }
    // The tags that a word may have (Encoded::tags).
    std::span<const WordTag> tags(int word) const {
        return {tags_.data() + tag_starts_[word - 1], tags_.data() + tag_starts_[word]};
    }
    int width() const { return n_ + 1; }
    int slots(int side) const { return side < 0 ? 1 : sides_[side].slots; }
    bool is_full(int side) const { return side < 0 || sides_[side].full; }
    // How many values a word has: its first slots.
    int count(int side, int word) const { return is_full(side) ? slots(side) : counts_[sides_[side].counts_at + word]; }
    // Hashes of the words' values; a side that a template does not have counts 0.
    const std::uint32_t* values(int side, int slot) const {
        return side < 0 ? zeros_.data() : values_.data() + sides_[side].at + static_cast<std::size_t>(slot) * width();
    }
    // 1 where there is a value, 0 where there is none.
    const float* valid(int side, int slot) const {
        return is_full(side) ? ones_.data()
                             : valid_.data() + sides_[side].valid_at + static_cast<std::size_t>(slot) * width();
    }
    // Hashes of arc atoms: a row per head, a column per modifier.
    const std::uint32_t* arc_table(int which) const {
        return arcs_.data() + static_cast<std::size_t>(which) * width() * width();
    }
    const std::uint32_t* arc_row(int which, int head) const {
        return arc_table(which) + static_cast<std::size_t>(head) * width();
    }
    // Codes of the arcs of a head, one per modifier.
    const std::uint32_t* distance_row(int head) const { return head ? &distances_[n_ + 1 - head] : root_codes_.data(); }
    const std::uint32_t* direction_row(int head) const {
        return head ? &directions_[n_ + 1 - head] : root_codes_.data();
    }

private:
    void set_side(const Side& side, const Encoded& encoded, std::size_t start, SideHashes& hashes);
    void set_slots(Reference set, const Encoded& encoded, std::size_t start, SideHashes& hashes);
    void set_arcs(const Templates& templates, const Encoded& encoded, std::size_t start, unsigned sections);
    void set_codes();
    // The atom that a reference from each word leads to; 0 where it is not known.
    struct Column {
        bool is_set = false, full = false;
        std::vector<std::uint64_t> atoms;
    };
    void fill_column(const Encoded& encoded, std::size_t start, Reference reference, Column& column);
    // The word that an offset from word i leads to: 1..n, 0 where there is none, -1 before and n+1 after the sentence.
    int relative(int i, int offset) const;
    // The atom of what is no word.
    static std::uint64_t special(int i, int j);

    int n_ = 0;
    std::vector<WordTag> tags_;
    std::vector<std::size_t> tag_starts_;
    std::array<bool, atom_count> present_{};
    std::vector<SideHashes> sides_;
    std::vector<std::uint32_t> values_, arcs_, distances_, directions_, root_codes_, zeros_;
    std::vector<int> counts_;
    std::vector<float> valid_, ones_;
    std::vector<Column> columns_;
    std::vector<std::uint64_t> hashes_;
    std::vector<char> there_;
    std::vector<int> first_children_, last_children_, parents_;
};

}  // namespace arbora
