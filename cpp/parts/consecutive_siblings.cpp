// Neighbouring modifiers on one side of a head, with START before the first and END after the last.
#include <algorithm>

#include "factors/child_sequences.hpp"
#include "parts/part_kind.hpp"

namespace arbora {

Part sibling_part(const ArcIndex& arcs, int head, bool is_right, int from, int to) {
    const auto side = is_right ? arcs.right(head) : arcs.left(head);
    const bool starts = from == 0, ends = to > static_cast<int>(side.size());
    const int third = starts ? head : arcs.arc(side[from - 1]).modifier;
    const int modifier = ends ? head : arcs.arc(side[to - 1]).modifier;
    // 1 to 6: the side, and whether it starts, goes on or ends; 7 to 26 the same with how far it goes: six bins between
    // siblings, three from the head to the first.
    const int place = starts ? ends ? 2 : 0 : ends ? 2 : 1;
    const int reach = ends     ? 9
                      : starts ? 6 + std::min(distance_bin(third, modifier), 2)
                               : distance_bin(third, modifier);
    return {head,
            modifier,
            third,
            0,
            static_cast<std::uint8_t>(1 + 2 * place + is_right),
            static_cast<std::uint8_t>(7 + 2 * reach + is_right)};
}

namespace {

class ConsecutiveSiblings final : public PartKind {
public:
    Section section() const override { return Section::consecutive_siblings; }

    void list(const ArcIndex& arcs, std::vector<Part>& parts) const override {
        for_sides(arcs, [&](int head, bool is_right, std::span<const int> side) {
            for_side_bigrams(static_cast<int>(side.size()),
                             [&](int from, int to) { parts.push_back(sibling_part(arcs, head, is_right, from, to)); });
        });
    }

    // The side of a head that has nothing there: 1 is the right.
    int code(const Part& part) const override {
        return part.modifier == part.head && part.third == part.head ? (part.direction - 1) % 2 : 0;
    }

    std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs, const Descents&,
                                                    std::vector<double> scores) const override {
        return std::make_shared<ChildSequences>(wire_sides(variables, arcs), std::move(scores));
    }
};

}  // namespace

std::unique_ptr<PartKind> make_consecutive_siblings() { return std::make_unique<ConsecutiveSiblings>(); }

}  // namespace arbora
