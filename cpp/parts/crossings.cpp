// Two arcs that cross (NOCROSS of Smith & Eisner 2008, as pairs: a graph that demands a head for every word already
// would count that demand once more with each of their factors).
#include <algorithm>

#include "factors/crossing_sums.hpp"
#include "parts/pair_parts.hpp"

namespace arbora {
namespace {

class Crossings final : public PairParts<Crossings> {
public:
    Section section() const override { return Section::crossings; }

    template <class Each>
    static void for_pairs(const ArcIndex& arcs, Each each) {
        for (int a = 0; a < arcs.count(); ++a) {
            const Arc& first = arcs.arc(a);
            for (int b = arcs.heads_end(first.modifier); b < arcs.count(); ++b) {
                const Arc& second = arcs.arc(b);
                if (arcs_cross(first.head, first.modifier, second.head, second.modifier))
                    each(a, b, part(first, second));
            }
        }
    }

private:
    // The third word is the modifier that comes first, the fourth its head. 1 to 4: the directions of both arcs; with three bins of how far
    // the modifiers are apart, 5 to 16.
    static Part part(const Arc& first, const Arc& second) {
        const int directions = 2 * (first.modifier > first.head) + (second.modifier > second.head);
        const int bin = std::min(distance_bin(first.modifier, second.modifier), 2);
        return {second.head,
                second.modifier,
                first.modifier,
                first.head,
                static_cast<std::uint8_t>(1 + directions),
                static_cast<std::uint8_t>(5 + 4 * bin + directions)};
    }
};

}  // namespace

std::unique_ptr<PartKind> make_crossings() { return std::make_unique<Crossings>(); }

}  // namespace arbora
