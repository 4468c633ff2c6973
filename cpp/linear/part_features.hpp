#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "linear/prepared.hpp"
#include "linear/templates.hpp"
#include "linear/weights.hpp"

namespace arbora {

// A part of several arcs, as templates see it: an arc and up to two words more (0, the root, where there is none), and
// what the kind of part says of their places. The codes are below 32, so that the weights of one feature in all variants
// lie in one cache line of short weights; 0 is kept for "alone". What a code means is fixed by its kind of part: models
// hang on it.
struct Part {
    std::int32_t head, modifier, third, fourth;
    std::uint8_t direction, distance;
};

// Sums of the weights of parts. Every word's hashes are laid out in a row, a column for each template, so that a part's
// are the sum of three or four rows. Words that lack a value have a value of their own; templates with a column that the
// whole sentence lacks count nothing; sets are not for parts.
class PartFeatures {
public:
    explicit PartFeatures(std::vector<Template> templates);

    bool empty() const { return templates_.empty(); }

    // scores[i] of parts[i].
    template <class Number>
    void score(const Prepared& sentence, WeightTable<Number> weights, std::span<const Part> parts,
               double* scores) const;
    // Adds values[i] * (feature vector of parts[i]) for every part; those with the value 0 cost nothing.
    void add_gradient(const Prepared& sentence, std::uint32_t mask, std::span<const Part> parts, const float* values,
                      SparseSum& sum) const;

private:
    // Neighbouring columns that come in the same variants.
    struct Segment {
        int variants;
        std::size_t begin, end;
    };
    struct Rows {
        std::size_t columns = 0;
        bool has_fourth = false;
        std::vector<std::uint32_t> heads, modifiers, thirds, fourths;  // a row for each word
        std::vector<Segment> segments;

        // The places of a part's features, a column after the other.
        void find(const Part& part, std::uint32_t mask, std::uint32_t* result) const;
    };
    void lay_out(const Prepared& sentence, Rows& rows) const;

    std::vector<Template> templates_;  // in the order of their variants
};

}  // namespace arbora
