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

    std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs, const Descents&,
                                                    std::vector<double> scores) const override {
        std::vector<std::int32_t> inputs;
        inputs.reserve(2 * scores.size());
        Kind::for_pairs(arcs, [&](int first, int second, const Part&) {
            inputs.push_back(first);
            inputs.push_back(second);
        });
        return std::make_shared<Pairs>(Wiring::of_pairs(variables, std::move(inputs)), std::move(scores));
    }
};

}  // namespace arbora
