// Questions about the heads of one sentence: heads[i] is the head of word i + 1; 0 is the root, negative unknown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arbora::treebank {

// Every cycle once, each from its smallest word along the heads. Heads must be in range.
std::vector<std::vector<std::int32_t>> cycles(std::span<const std::int32_t> heads);

// The words whose arc is not projective: some word between it and its head does not descend from the head. A word
// below an unknown head speaks against an arc only if that top lies outside of the arc. Heads must have no cycle.
std::vector<std::int32_t> nonprojective_words(std::span<const std::int32_t> heads);

}  // namespace arbora::treebank
