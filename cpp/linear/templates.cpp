#include "linear/templates.hpp"

#include <algorithm>

#include "linear/hashing.hpp"

namespace arbora {

bool Side::needs_tree() const {
    return std::any_of(references.begin(), references.end(), [](Reference r) { return r.offset >= first_child; });
}

void Templates::add(Section section, std::uint64_t seed, const std::vector<Reference>& head,
                    const std::vector<Reference>& modifier, const std::vector<Reference>& between,
                    const std::vector<ArcAtom>& arc_atoms, bool alone, bool direction, bool distance) {
    const unsigned user = bit_of(section);
    templates_[static_cast<int>(section)].push_back(
        {static_cast<std::uint32_t>(mix_bits(seed)), side(Role::head, head, user), side(Role::modifier, modifier, user),
         side(Role::between, between, user), arc(arc_atoms, user), alone, direction, distance});
}

int Templates::side(Role role, const std::vector<Reference>& references, unsigned user) {
    if (references.empty()) return -1;
    const Side wanted{role, references};
    const auto at = static_cast<std::size_t>(std::find(sides_.begin(), sides_.end(), wanted) - sides_.begin());
    if (at == sides_.size()) {
        sides_.push_back(wanted);
        side_users_.push_back(0);
    }
    side_users_[at] |= user;
    return static_cast<int>(at);
}

int Templates::arc(const std::vector<ArcAtom>& atoms, unsigned user) {
    if (atoms.empty()) return -1;
    const auto at = static_cast<std::size_t>(std::find(arcs_.begin(), arcs_.end(), atoms) - arcs_.begin());
    if (at == arcs_.size()) {
        arcs_.push_back(atoms);
        arc_users_.push_back(0);
    }
    arc_users_[at] |= user;
    return static_cast<int>(at);
}

std::uint32_t distance_code(int head, int modifier) {
    if (head == 0) return root_code;
    const int distance = head < modifier ? modifier - head : head - modifier;
    const std::uint32_t bin = distance <= 3 ? distance - 1 : distance <= 6 ? 3 : distance <= 12 ? 4 : 5;
    return 1 + bin + (head < modifier ? 6 : 0);
}

}  // namespace arbora
