#pragma once
#include <cstdint>
#include <vector>

#include "linear/prepared.hpp"
#include "linear/templates.hpp"

namespace arbora {

// In which variants a template's features come, as bits.
inline constexpr int with_alone = 1, with_direction = 2, with_distance = 4, variants_count = 8;
inline int variants_of(const Template& t) {
    return (t.alone ? with_alone : 0) | (t.direction ? with_direction : 0) | (t.distance ? with_distance : 0);
}

// The features of one arc after the other, by templates that see head, modifier and arc but no word between. For most
// templates every word has one value. Their hashes are laid out by word, so that those of an arc are the sum of two
// rows; only sets and missing values need a closer look.
class PairHashes {
public:
    // Hashes of features that come in the same variants, before any code or mask.
    struct Segment {
        int variants;
        const std::uint32_t *begin, *end;
    };

    // The templates must outlive what is found by them.
    void set(const std::vector<Template>& templates, const Prepared& sentence);
    // The features of an arc; what was found for the arc before is gone.
    const std::vector<Segment>& find(const Prepared& sentence, int head, int modifier);
    // No arc has more.
    std::size_t most() const { return hashes_.size(); }

private:
    struct ArcColumn {
        std::size_t column;
        const std::uint32_t* table;
    };

    void lay_out(const Prepared& sentence);
    std::uint32_t* add_others(const Template& t, const Prepared& sentence, int head, int modifier,
                              std::uint32_t* out) const;

    std::vector<const Template*> in_rows_, others_;  // both in the order of their variants
    std::vector<ArcColumn> arcs_;
    std::vector<std::uint32_t> heads_, modifiers_;  // a row for every word, of those in rows
    std::vector<Segment> segments_;                 // those of the rows, then the others'
    std::size_t row_segments_ = 0;
    std::vector<std::uint32_t> hashes_;
};

}  // namespace arbora
