#pragma once
#include <cstdint>
#include <vector>

#include "linear/prepared.hpp"
#include "linear/weights.hpp"

namespace arbora {

struct Arc {
    int head, modifier;

    bool operator==(const Arc&) const = default;
};

// Arcs as columns, with what every template needs of them.
struct ArcColumns {
    std::vector<std::uint32_t> heads, modifiers, cells, distances, directions;

    void set(const Prepared& sentence, const std::vector<Arc>& arcs);
    std::size_t size() const { return heads.size(); }
};

// One template with one value of each of its sides: where the hashes of its features are to be found.
struct Stream {
    std::uint32_t seed;
    const std::uint32_t *heads, *modifiers, *arcs;  // arcs may be null
    const float *valid_heads, *valid_modifiers;     // null if no word lacks a value
    bool alone, direction, distance;

    bool is_valid(int head, int modifier) const {
        return !valid_heads || (valid_heads[head] != 0 && valid_modifiers[modifier] != 0);
    }
};

// The streams of templates about head, modifier and arc; templates about words in between are left out.
void set_streams(const std::vector<Template>& templates, const Prepared& sentence, std::vector<Stream>& streams);

// indices[i] = hash of the stream's feature at arc i, under the mask.
void fill_indices(const Stream& stream, const ArcColumns& arcs, std::uint32_t mask, std::uint32_t* indices);

}  // namespace arbora
