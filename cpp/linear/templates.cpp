#include "linear/templates.hpp"

#include <algorithm>
#include <utility>

#include "linear/hashing.hpp"

namespace arbora {

namespace {

// Of a neighbour its distance, of a relative its name.
std::uint64_t seed_of_offset(int offset) {
    switch (offset) {
        case first_child: return name_seed("first-child");
        case last_child: return name_seed("last-child");
        case parent: return name_seed("parent");
        default: return static_cast<std::uint64_t>(std::int64_t{offset} + 64);
    }
}

std::uint64_t seed_of(Role role, const std::vector<Reference>& references) {
    std::uint64_t seed = name_seed(role_names[static_cast<std::size_t>(role)]);
    for (const Reference& reference : references)
        seed = combine(combine(seed, seed_of_offset(reference.offset)), seed_of(reference.atom));
    return seed;
}

bool looks_at_tree(Reference reference) { return reference.offset >= first_child; }

}  // namespace

void Templates::add(Section section, const Spec& spec) {
    const unsigned user = bit_of(section);
    Template result{static_cast<std::uint32_t>(mix_bits(spec.seed))};
    result.head = side(Role::head, spec.head, user);
    result.modifier = side(Role::modifier, spec.modifier, user);
    result.between = side(Role::between, spec.between, user);
    result.third = side(Role::third, spec.third, user);
    result.fourth = side(Role::fourth, spec.fourth, user);
    result.arc = arc(spec.arc, user);
    result.alone = spec.alone;
    result.direction = spec.direction;
    result.distance = spec.distance;
    templates_[static_cast<int>(section)].push_back(result);
}

int Templates::side(Role role, const std::vector<Reference>& references, unsigned user) {
    if (references.empty()) return -1;
    const auto found = std::find_if(sides_.begin(), sides_.end(), [&](const Side& side) {
        return side.role == role && side.references == references;
    });
    const auto at = static_cast<std::size_t>(found - sides_.begin());
    if (at == sides_.size()) {
        std::vector<int> columns;
        for (const Reference& reference : references) columns.push_back(column(reference));
        sides_.push_back({role, references, std::move(columns), seed_of(role, references),
                          std::any_of(references.begin(), references.end(), looks_at_tree)});
        side_users_.push_back(0);
    }
    side_users_[at] |= user;
    return static_cast<int>(at);
}

int Templates::column(Reference reference) {
    const auto at = std::find(columns_.begin(), columns_.end(), reference) - columns_.begin();
    if (at == static_cast<std::ptrdiff_t>(columns_.size())) columns_.push_back(reference);
    atoms_ |= bit_of(reference.atom);
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
