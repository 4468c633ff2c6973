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

// One template with one value of each of its sides: where the hashes of its features are to be found.
struct Stream {
    std::uint32_t seed;
    const std::uint32_t *heads, *modifiers, *arcs;  // arcs may be null
    const float *valid_heads, *valid_modifiers;     // null if no word lacks a value
    bool alone, direction, distance;

    bool is_valid(std::uint32_t head, std::uint32_t modifier) const {
        return !valid_heads || (valid_heads[head] != 0 && valid_modifiers[modifier] != 0);
    }
};

// The streams of templates about head, modifier and arc; templates about words in between are left out.
void set_streams(const std::vector<Template>& templates, const Prepared& sentence, std::vector<Stream>& streams);

}  // namespace arbora
