#include "parts/part_kind.hpp"

#include <array>

namespace arbora {

const PartKind& part_kind(int k) {
    static const std::array<std::unique_ptr<PartKind>, part_kind_count> kinds{
        make_consecutive_siblings(), make_all_siblings(), make_grandparents(),
        make_grand_siblings(),       make_head_bigrams(), make_crossings(),
        make_tri_siblings(),         make_valencies(),    make_nonprojective_arcs(),
    };
    return *kinds[k];
}

Wiring wire_sides(const Variables& variables, const ArcIndex& arcs) {
    Wiring wiring;
    std::vector<Input> inputs;
    for_sides(arcs, [&](int, bool, std::span<const int> side) {
        inputs.clear();
        for (int a : side) inputs.push_back({a});
        wiring.add_factor(variables, inputs);
    });
    return wiring;
}

}  // namespace arbora
