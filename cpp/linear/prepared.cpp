#include "linear/prepared.hpp"

#include <algorithm>
#include <cstdlib>

#include "linear/hashing.hpp"

namespace arbora {
namespace {

// Atoms of what is no word: the root, what lies before and after the sentence, a
// relative that there is not.
constexpr std::uint64_t root_atom = 0x526f6f74, before_atom = 0x4265666f7265, after_atom = 0x4166746572,
                        none_atom = 0x4e6f6e65;

std::uint64_t seed_of(const Side& side) {
    std::uint64_t seed = static_cast<std::uint64_t>(side.role) + 1;
    for (const Reference& reference : side.references)
        seed = combine(seed, static_cast<std::uint64_t>(reference.offset + 64) * 64 +
                                 static_cast<std::uint64_t>(reference.atom));
    return seed;
}

}  // namespace

int Prepared::relative(int i, int offset) const {
    if (offset == first_child) return first_children_[i];
    if (offset == last_child) return last_children_[i];
    if (offset == parent) return parents_[i];
    const int j = i + offset;
    return j < 1 ? -1 : std::min(j, n_ + 1);
}

// The atom that a reference from word i leads to, or 0. Sets are not asked for here.
std::uint64_t Prepared::value_at(const Encoded& encoded, std::size_t start, int i, Reference reference) const {
    if (i == 0) return root_atom;
    const int j = relative(i, reference.offset);
    if (j >= 1 && j <= n_) return encoded.atom(start + j - 1, reference.atom);
    return j == 0 ? none_atom : j < 0 ? before_atom : after_atom;
}

void Prepared::set_relatives(const int* heads) {
    first_children_.assign(width(), 0);
    last_children_.assign(width(), 0);
    parents_.assign(width(), 0);
    for (int m = 1; m <= n_; ++m) {
        if (!first_children_[heads[m]]) first_children_[heads[m]] = m;
        last_children_[heads[m]] = m;
        parents_[m] = heads[m];
    }
}

void Prepared::set(const Templates& templates, const Encoded& encoded, std::size_t sentence, const int* heads) {
    const std::size_t start = encoded.start(sentence);
    n_ = encoded.length(sentence);
    for (int a = 0; a <= single_atoms; ++a) {
        present_[a] = false;
        for (int i = 0; i < n_ && !present_[a]; ++i)
            present_[a] = a < single_atoms ? encoded.atom(start + i, static_cast<Atom>(a)) != 0
                                           : encoded.feat_count(start + i) > 0;
    }
    if (heads) set_relatives(heads);
    values_.clear();
    valid_.clear();
    sides_.assign(templates.sides().size(), {});
    for (std::size_t s = 0; s < sides_.size(); ++s) set_side(templates.sides()[s], encoded, start, sides_[s]);
    if (!templates.arcs().empty()) set_arcs(templates, encoded, start);
    set_codes();
}

void Prepared::set_side(const Side& side, const Encoded& encoded, std::size_t start, SideHashes& hashes) {
    for (const Reference& reference : side.references)
        if (!present_[static_cast<int>(reference.atom)]) return;
    const std::uint64_t seed = seed_of(side);
    const Reference* set = nullptr;
    hashes.slots = 1;
    for (const Reference& reference : side.references)
        if (reference.atom == Atom::feat) set = &reference;
    // The values of the set at word i; what is no word has one.
    const auto members_at = [&](int i) {
        const int j = i == 0 ? -1 : relative(i, set->offset);
        if (j < 1 || j > n_) return 1;
        return encoded.feat_count(start + j - 1);
    };
    const auto member = [&](int i, int slot) {
        const int j = i == 0 ? -1 : relative(i, set->offset);
        if (j < 1 || j > n_) return i == 0 ? root_atom : j == 0 ? none_atom : j < 0 ? before_atom : after_atom;
        return encoded.feats_begin(start + j - 1)[slot];
    };
    if (set)
        for (int i = 1; i <= n_; ++i) hashes.slots = std::max(hashes.slots, members_at(i));
    hashes.at = values_.size();
    values_.resize(hashes.at + static_cast<std::size_t>(hashes.slots) * width());
    valid_.resize(values_.size(), 0);
    for (int i = 0; i < width(); ++i) {
        std::uint64_t hash = seed;
        bool missing = false;
        for (const Reference& reference : side.references) {
            if (&reference == set) continue;
            const std::uint64_t value = value_at(encoded, start, i, reference);
            missing |= value == 0;
            hash = combine(hash, value);
        }
        const int members = set ? members_at(i) : 1;
        for (int slot = 0; slot < hashes.slots; ++slot) {
            const std::size_t at = hashes.at + static_cast<std::size_t>(slot) * width() + i;
            const bool there = !missing && slot < members;
            valid_[at] = there;
            hashes.full &= there;
            values_[at] = static_cast<std::uint32_t>(set && there ? combine(hash, member(i, slot)) : hash);
        }
    }
}

void Prepared::set_arcs(const Templates& templates, const Encoded& encoded, std::size_t start) {
    const std::size_t size = static_cast<std::size_t>(width()) * width(), kinds = templates.arcs().size();
    arcs_.assign(kinds * size, 0);
    // From each word rightwards; what lies between is the same in both directions.
    for (int left = 0; left <= n_; ++left) {
        std::uint32_t tags = 0;
        std::array<int, 5> counts{};
        int depth = 0, quotes = 0;
        for (int right = left + 1; right <= n_; ++right) {
            for (std::size_t kind = 0; kind < kinds; ++kind) {
                std::uint64_t hash = 17;
                for (ArcAtom atom : templates.arcs()[kind]) {
                    const std::uint64_t value =
                        atom == ArcAtom::tags_between       ? tags
                        : atom == ArcAtom::brackets_between ? (depth > 0 ? 1 : depth < 0 ? 2 : 0) + 3 * (quotes & 1)
                                                            : std::min(counts[1 + static_cast<int>(atom)], 3);
                    hash = combine(hash, value * 8 + static_cast<std::uint64_t>(atom));
                }
                std::uint32_t* table = arcs_.data() + kind * size;
                table[static_cast<std::size_t>(left) * width() + right] = static_cast<std::uint32_t>(hash);
                table[static_cast<std::size_t>(right) * width() + left] = static_cast<std::uint32_t>(hash);
            }
            tags |= 1u << encoded.tag_number(start + right - 1);
            ++counts[static_cast<int>(encoded.word_class(start + right - 1))];
            const Nesting nesting = encoded.nesting(start + right - 1);
            depth += (nesting == Nesting::opens) - (nesting == Nesting::closes);
            quotes += nesting == Nesting::quotes;
        }
    }
}

void Prepared::set_codes() {
    // Index n + 1 + modifier - head, so that a row per head is a window.
    if (static_cast<int>(distances_.size()) != 2 * n_ + 2) {
        distances_.assign(2 * n_ + 2, 0);
        directions_.assign(2 * n_ + 2, 0);
        root_codes_.assign(width(), root_code);
        for (int delta = -n_; delta <= n_; ++delta) {
            const int head = n_ + 1, modifier = head + delta;
            distances_[n_ + 1 + delta] = delta ? distance_code(head, modifier) : 0;
            directions_[n_ + 1 + delta] = delta ? direction_code(head, modifier) : 0;
        }
    }
}

}  // namespace arbora
