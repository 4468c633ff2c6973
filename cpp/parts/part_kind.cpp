#include "parts/part_kind.hpp"

#include <array>

namespace arbora {

const PartKind& part_kind(int k) {
    static const std::array<std::unique_ptr<PartKind>, part_kind_count> kinds{
        make_consecutive_siblings(), make_all_siblings(), make_grandparents(),
        make_grand_siblings(),       make_head_bigrams(), make_crossings(),
    };
    return *kinds[k];
}

}  // namespace arbora
