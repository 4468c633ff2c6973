#include "parts/arc_index.hpp"

#include <algorithm>

namespace arbora {

void ArcIndex::set(const std::vector<Arc>& arcs, int n) {
    n_ = n;
    arcs_ = arcs;
    heads_.assign(n + 2, 0);
    sides_.assign(2 * (n + 1) + 1, 0);
    modifiers_.resize(arcs.size());
    const auto side_of = [](const Arc& arc) { return 2 * arc.head + (arc.modifier > arc.head); };
    for (const Arc& arc : arcs) {
        ++heads_[arc.modifier + 1];
        ++sides_[side_of(arc) + 1];
    }
    for (int i = 0; i <= n; ++i) heads_[i + 1] += heads_[i];
    for (std::size_t i = 0; i + 1 < sides_.size(); ++i) sides_[i + 1] += sides_[i];
    // Arcs come by modifier, so those to the right are in order, and those to the left in the reverse one.
    std::vector<int> next(sides_.begin(), sides_.end() - 1);
    for (int a = 0; a < count(); ++a) modifiers_[next[side_of(arcs_[a])]++] = a;
    for (int h = 0; h <= n; ++h)
        std::reverse(modifiers_.begin() + sides_[2 * h], modifiers_.begin() + sides_[2 * h + 1]);
}

int ArcIndex::find(int head, int modifier) const {
    for (int a = heads_begin(modifier); a < heads_end(modifier); ++a)
        if (arcs_[a].head == head) return a;
    return -1;
}

}  // namespace arbora
