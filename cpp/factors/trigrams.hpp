#pragma once
#include <cstddef>
#include <span>

namespace arbora {

// The modifiers of a head on one side, as a path whose positions are those of charts/bigrams.hpp: 0 for START, 1 to p for
// the candidates, p + 1 for END. A path has a trigram for each modifier that is taken: what comes before it, itself, what
// comes after. They are numbered with the last outside, then the middle: (0,1,2), (0,1,3), (0,2,3), (1,2,3), (0,1,4), ...
inline std::size_t trigram(int first, int middle, int last) {
    const auto i = static_cast<std::size_t>(first), j = static_cast<std::size_t>(middle),
               k = static_cast<std::size_t>(last);
    return k * (k - 1) * (k - 2) / 6 + j * (j - 1) / 2 + i;
}
inline std::size_t trigram_count(int modifiers) { return trigram(0, 1, modifiers + 2); }

// Calls each(first, middle, last) for the trigrams of the path whose modifiers are these ports.
template <class Each>
void for_trigrams(std::span<const int> active, int modifiers, Each each) {
    for (std::size_t i = 0; i < active.size(); ++i)
        each(i ? active[i - 1] + 1 : 0, active[i] + 1, i + 1 < active.size() ? active[i + 1] + 1 : modifiers + 1);
}

}  // namespace arbora
