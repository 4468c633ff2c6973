// Any two modifiers of one head, neighbours or not.
#include "parts/pair_parts.hpp"

namespace arbora {
namespace {

class AllSiblings final : public PairParts<AllSiblings> {
public:
    Section section() const override { return Section::all_siblings; }

    template <class Each>
    static void for_pairs(const ArcIndex& arcs, Each each) {
        for (int head = 0; head <= arcs.n(); ++head) {
            const auto left = arcs.left(head), right = arcs.right(head);
            const int count = static_cast<int>(left.size() + right.size());
            // From the leftmost to the rightmost.
            const auto at = [&](int i) {
                const int lefts = static_cast<int>(left.size());
                return i < lefts ? left[lefts - 1 - i] : right[i - lefts];
            };
            for (int i = 0; i < count; ++i)
                for (int j = i + 1; j < count; ++j) each(at(i), at(j), part(arcs.arc(at(i)), arcs.arc(at(j))));
        }
    }

private:
    // The farther one is the modifier. 1 to 3: both on the left, one on each side, both on the right; with six bins of
    // how far they are apart, 4 to 21.
    static Part part(const Arc& first, const Arc& second) {
        const int head = first.head, place = (first.modifier > head) + (second.modifier > head);
        const bool is_left = place == 0;
        const int bin = distance_bin(first.modifier, second.modifier);
        return {head, is_left ? first.modifier : second.modifier, is_left ? second.modifier : first.modifier,
                0,    static_cast<std::uint8_t>(1 + place),       static_cast<std::uint8_t>(4 + 3 * bin + place)};
    }
};

}  // namespace

std::unique_ptr<PartKind> make_all_siblings() { return std::make_unique<AllSiblings>(); }

}  // namespace arbora
