// An arc, and the arc to its head.
#include "parts/grandparents.hpp"

#include <algorithm>

#include "parts/pair_parts.hpp"

namespace arbora {
namespace {

// Where a head, its own head and its modifier stand, from 0 to 7: under the root, the modifier on the left or right;
// else the modifier away from the grandparent, between them, or beyond it, the grandparent being on the left or right.
int place_of(int grandparent, int head, int modifier) {
    if (grandparent == 0) return modifier > head;
    const bool g_right = grandparent > head, m_right = modifier > head;
    const int place = g_right != m_right ? 0 : (modifier < grandparent) == g_right ? 1 : 2;
    return 2 + 2 * place + g_right;
}

class Grandparents final : public PairParts<Grandparents> {
public:
    Section section() const override { return Section::grandparents; }

    template <class Each>
    static void for_pairs(const ArcIndex& arcs, Each each) {
        for (int a = 0; a < arcs.count(); ++a) {
            const auto [head, modifier] = arcs.arc(a);
            for (int above = arcs.heads_begin(head); above < arcs.heads_end(head); ++above)
                if (arcs.arc(above).head != modifier)
                    each(above, a, grandparent_part(arcs.arc(above).head, head, modifier));
        }
    }
};

}  // namespace

Part grandparent_part(int grandparent, int head, int modifier) {
    // 1 to 8: the places; 9 to 28: the two directions, and five bins of how far the modifier is.
    const int directions = 2 * (grandparent > head) + (modifier > head);
    const int bin = std::min(distance_bin(head, modifier), 4);
    return {head,
            modifier,
            grandparent,
            0,
            static_cast<std::uint8_t>(1 + place_of(grandparent, head, modifier)),
            static_cast<std::uint8_t>(9 + 4 * bin + directions)};
}

std::unique_ptr<PartKind> make_grandparents() { return std::make_unique<Grandparents>(); }

}  // namespace arbora
