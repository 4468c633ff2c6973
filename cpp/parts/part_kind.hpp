#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "factors/factor_group.hpp"
#include "linear/part_features.hpp"
#include "parts/arc_index.hpp"
#include "parts/descents.hpp"

namespace arbora {

// A kind of part of several arcs: which ones a sentence has over its candidate arcs, and the factors that score them.
// Variable a of a graph is arc a of the index. The templates are the section of the same name.
class PartKind {
public:
    virtual ~PartKind() = default;

    virtual Section section() const = 0;

    // Adds all parts, in the order of the factors' own.
    virtual void list(const ArcIndex& arcs, std::vector<Part>& parts) const = 0;

    // What tells parts with the same words apart.
    virtual int code(const Part&) const { return 0; }

    // A group of factors with one score for each part that `list` gives.
    virtual std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs,
                                                            const Descents& descents,
                                                            std::vector<double> scores) const = 0;

    // Whether that takes variables for what is below what. Projective trees have no such parts.
    virtual bool sees_descents() const { return false; }
};

// One file each, and one line in part_kind.cpp. In the order of their sections.
std::unique_ptr<PartKind> make_consecutive_siblings();
std::unique_ptr<PartKind> make_all_siblings();
std::unique_ptr<PartKind> make_grandparents();
std::unique_ptr<PartKind> make_grand_siblings();
std::unique_ptr<PartKind> make_head_bigrams();
std::unique_ptr<PartKind> make_crossings();
std::unique_ptr<PartKind> make_tri_siblings();
std::unique_ptr<PartKind> make_valencies();
std::unique_ptr<PartKind> make_nonprojective_arcs();

inline constexpr int part_kind_count = section_count - static_cast<int>(first_part_section);

// The kind of number k, whose section is first_part_section + k.
const PartKind& part_kind(int k);

// How far apart words are, as a number from 0 to 5.
inline int distance_bin(int a, int b) {
    const int distance = a < b ? b - a : a - b;
    return distance <= 3 ? std::max(distance - 1, 0) : distance <= 6 ? 3 : distance <= 12 ? 4 : 5;
}

// Calls each(head, whether on the right, its arcs there) for the sides of all heads; nothing is on the left of the root.
template <class Each>
void for_sides(const ArcIndex& arcs, Each each) {
    for (int head = 0; head <= arcs.n(); ++head) {
        if (head) each(head, false, arcs.left(head));
        each(head, true, arcs.right(head));
    }
}

// Wiring in which there is a factor for each side, whose inputs are its arcs.
Wiring wire_sides(const Variables& variables, const ArcIndex& arcs);

// Calls each(from, to) for the bigrams of a side with so many modifiers, in the order of bigram_paths.hpp.
template <class Each>
void for_side_bigrams(int modifiers, Each each) {
    for (int to = 1; to <= modifiers + 1; ++to)
        for (int from = 0; from < to; ++from) each(from, to);
}

// A bigram of siblings as a part: before the first modifier the head itself is the third word, after the last one the
// head is the modifier.
Part sibling_part(const ArcIndex& arcs, int head, bool is_right, int from, int to);

}  // namespace arbora
