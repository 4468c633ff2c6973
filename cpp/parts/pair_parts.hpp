#pragma once
#include "factors/pairs.hpp"
#include "parts/part_kind.hpp"

namespace arbora {

// A kind whose parts are pairs of arcs: `for_pairs(arcs, each)` calls each(first arc, second arc, part).
template <class Kind>
class PairParts : public PartKind {
public:
    void list(const ArcIndex& arcs, std::vector<Part>& parts) const override {
        Kind::for_pairs(arcs, [&](int, int, const Part& part) { parts.push_back(part); });
    }

    std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs,
                                                    const Descents&, std::vector<double> scores) const override {
        Wiring wiring;
        Kind::for_pairs(arcs, [&](int first, int second, const Part&) {
            const Input inputs[] = {{first}, {second}};
            wiring.add_factor(variables, inputs);
        });
        return std::make_shared<Pairs>(wiring, std::move(scores));
    }
};

}  // namespace arbora
