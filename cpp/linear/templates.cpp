#include "linear/templates.hpp"

#include <algorithm>

#include "linear/hashing.hpp"

namespace arbora {

bool Side::has_set() const {
    return std::any_of(references.begin(), references.end(), [](Reference r) { return r.atom == Atom::feat; });
}

bool Templates::needs_tree() const {
    return std::any_of(sides_.begin(), sides_.end(), [](const Side& side) {
        return std::any_of(side.references.begin(), side.references.end(),
                           [](Reference r) { return r.offset >= first_child; });
    });
}

void Templates::add(std::uint64_t seed, const std::vector<Reference>& head, const std::vector<Reference>& modifier,
                    const std::vector<Reference>& between, const std::vector<ArcAtom>& arc_atoms, bool alone,
                    bool direction, bool distance) {
    templates_.push_back({static_cast<std::uint32_t>(mix_bits(seed)), side(Role::head, head),
                          side(Role::modifier, modifier), side(Role::between, between), arc(arc_atoms), alone,
                          direction, distance});
}

int Templates::side(Role role, const std::vector<Reference>& references) {
    if (references.empty()) return -1;
    const Side wanted{role, references};
    const auto found = std::find(sides_.begin(), sides_.end(), wanted);
    if (found != sides_.end()) return static_cast<int>(found - sides_.begin());
    sides_.push_back(wanted);
    return static_cast<int>(sides_.size()) - 1;
}

int Templates::arc(const std::vector<ArcAtom>& atoms) {
    if (atoms.empty()) return -1;
    const auto found = std::find(arcs_.begin(), arcs_.end(), atoms);
    if (found != arcs_.end()) return static_cast<int>(found - arcs_.begin());
    arcs_.push_back(atoms);
    return static_cast<int>(arcs_.size()) - 1;
}

std::uint32_t distance_code(int head, int modifier) {
    if (head == 0) return root_code;
    const int distance = head < modifier ? modifier - head : head - modifier;
    const std::uint32_t bin = distance <= 3 ? distance - 1 : distance <= 6 ? 3 : distance <= 12 ? 4 : 5;
    return 1 + bin + (head < modifier ? 6 : 0);
}

}  // namespace arbora
