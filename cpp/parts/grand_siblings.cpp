// Neighbouring modifiers of a head together with the head's own head.
#include "parts/grand_siblings.hpp"

#include <algorithm>

#include "factors/grand_siblings.hpp"

namespace arbora {
namespace {

class GrandSiblingParts final : public PartKind {
public:
    Section section() const override { return Section::grand_siblings; }

    void list(const ArcIndex& arcs, std::vector<Part>& parts) const override {
        for_grand_siblings(arcs, [&](int head, int above, bool is_right, int from, int to) {
            Part part = sibling_part(arcs, head, is_right, from, to);
            part.fourth = above < 0 ? 0 : arcs.arc(above).head;
            // 1 to 18: the place, and where the grandparent is: it is the root, on the other side, on the same.
            const int where = part.fourth == 0 ? 0 : 1 + ((part.fourth > head) == is_right);
            part.distance = static_cast<std::uint8_t>(19 + (part.distance - 7) / 2);
            part.direction = static_cast<std::uint8_t>(1 + 3 * (part.direction - 1) + where);
            parts.push_back(part);
        });
    }

    // The side of a head that has nothing there: 1 is the right.
    int code(const Part& part) const override {
        return part.modifier == part.head && part.third == part.head ? (part.direction - 1) / 3 % 2 : 0;
    }

    std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs, const Descents&,
                                                    std::vector<double> scores) const override {
        return make_grand_sibling_factors(variables, arcs, std::move(scores));
    }
};

}  // namespace

std::shared_ptr<const FactorGroup> make_grand_sibling_factors(const Variables& variables, const ArcIndex& arcs,
                                                              std::vector<double> scores) {
    Wiring wiring;
    std::vector<int> grandparents, left;
    std::vector<Input> inputs;
    for (int head = 0; head <= arcs.n(); ++head) {
        inputs.clear();
        for (int a = arcs.heads_begin(head); a < arcs.heads_end(head); ++a) inputs.push_back({a});
        grandparents.push_back(static_cast<int>(inputs.size()));
        for (int a : arcs.left(head)) inputs.push_back({a});
        for (int a : arcs.right(head)) inputs.push_back({a});
        left.push_back(static_cast<int>(arcs.left(head).size()));
        wiring.add_factor(variables, inputs);
    }
    return std::make_shared<GrandSiblings>(std::move(wiring), std::move(grandparents), std::move(left),
                                           std::move(scores));
}

std::unique_ptr<PartKind> make_grand_siblings() { return std::make_unique<GrandSiblingParts>(); }

}  // namespace arbora
