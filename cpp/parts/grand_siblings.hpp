#pragma once
#include "parts/part_kind.hpp"

namespace arbora {

// The head automata that see the grandparent, with scores in the order of `for_grand_siblings`.
std::shared_ptr<const FactorGroup> make_grand_sibling_factors(const Variables& variables, const ArcIndex& arcs,
                                                              std::vector<double> scores);

// Calls each(head, arc to the head or -1 for the root's own modifiers, whether on the right, from, to).
template <class Each>
void for_grand_siblings(const ArcIndex& arcs, Each each) {
    for (int head = 0; head <= arcs.n(); ++head) {
        const int begin = head ? arcs.heads_begin(head) : -1, end = head ? arcs.heads_end(head) : 0;
        for (int above = begin; above < end; ++above)
            for (bool is_right : {false, true})
                for_side_bigrams(static_cast<int>((is_right ? arcs.right(head) : arcs.left(head)).size()),
                                 [&](int from, int to) { each(head, above, is_right, from, to); });
    }
}

}  // namespace arbora
