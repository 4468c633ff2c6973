#pragma once
#include <cstddef>

namespace arbora {

// The modifiers of a head on one side, as a path. Its positions are 0 for START, 1 to p for the candidate modifiers
// from the head outwards, p + 1 for END. A path goes from START to END by way of the modifiers that are taken; its
// steps are bigrams from < to, numbered with `to` outside: (0,1), (0,2), (1,2), (0,3), (1,3), (2,3), ...
inline std::size_t bigram_count(int modifiers) { return static_cast<std::size_t>(modifiers + 1) * (modifiers + 2) / 2; }
inline std::size_t bigram(int from, int to) { return static_cast<std::size_t>(to) * (to - 1) / 2 + from; }

}  // namespace arbora
