#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "linear/word_atoms.hpp"

namespace arbora {

// Offsets that mean a word's relatives in a tree instead of its neighbours.
inline constexpr int first_child = 100, last_child = 101, parent = 102;

// An atom of the word `offset` places to the right of the one that a side is about.
struct Reference {
    int offset;
    Atom atom;

    bool operator==(const Reference&) const = default;
};

// `third` and `fourth` are the other words of a part of several arcs (linear/part_features.hpp).
enum class Role : std::uint8_t { head, modifier, between, third, fourth };
inline constexpr std::array<std::string_view, 5> role_names{"head", "modifier", "between", "third", "fourth"};

// The atoms that a template takes around one word. Templates that share a side share its hashes.
struct Side {
    Role role;
    std::vector<Reference> references;
    std::vector<int> columns;  // where the references are in Templates::columns()
    std::uint64_t seed;        // of its hashes
    bool needs_tree;
};

// What is known of the words between head and modifier: three counts up to 3, the set of their tags, and whether
// brackets and quotes are balanced there.
enum class ArcAtom : std::uint8_t {
    verbs_between,
    marks_between,
    conjunctions_between,
    tags_between,
    brackets_between
};
inline constexpr std::array<std::string_view, 5> arc_atom_names{
    "verbs-between", "marks-between", "conjunctions-between", "tags-between", "brackets-between"};
inline constexpr auto arc_atom_seeds = [] {
    std::array<std::uint64_t, arc_atom_names.size()> seeds{};
    for (std::size_t a = 0; a < seeds.size(); ++a) seeds[a] = name_seed(arc_atom_names[a]);
    return seeds;
}();
constexpr std::uint64_t seed_of(ArcAtom atom) { return arc_atom_seeds[static_cast<std::size_t>(atom)]; }

// A template is a sum of hashes, its seed's and those of its sides and arc atoms. `alone`, `direction` and `distance`
// say in which variants it comes; the three of one template lie in one cache line of weights.
struct Template {
    std::uint32_t seed;
    int head = -1, modifier = -1, between = -1, third = -1, fourth = -1;  // sides
    int arc = -1;                                                         // arc atoms
    bool alone = true, direction = false, distance = false;
};

// What templates are for: the pruner's arc scores, the model's arc scores, its joint label scores, the second stage's
// label scores and its scores of neighbouring labels, its scores of hidden roles of arcs, of tags of words, of two linked
// ones, of two and of three in a row; then the parts of several arcs, one section for each kind. Their order is the
// core's own: models know them by `section_names`.
enum class Section : std::uint8_t {
    pruner,
    arcs,
    labels,
    labeler,
    siblings,
    roles,
    tags,
    tag_links,
    tag_bigrams,
    tag_trigrams,
    consecutive_siblings,
    all_siblings,
    grandparents,
    grand_siblings,
    head_bigrams,
    crossings,
    tri_siblings,
    valencies,
    nonprojective_arcs,
};
inline constexpr std::array<std::string_view, 19> section_names{"pruner",
                                                                "arcs",
                                                                "labels",
                                                                "labeler",
                                                                "siblings",
                                                                "roles",
                                                                "tags",
                                                                "tag-links",
                                                                "tag-bigrams",
                                                                "tag-trigrams",
                                                                "consecutive-siblings",
                                                                "all-siblings",
                                                                "grandparents",
                                                                "grand-siblings",
                                                                "head-bigrams",
                                                                "crossings",
                                                                "tri-siblings",
                                                                "valencies",
                                                                "nonprojective-arcs"};
inline constexpr int section_count = static_cast<int>(section_names.size());
inline constexpr Section first_part_section = Section::consecutive_siblings;

// All templates of a parser. Sides and arc atoms are kept once, whoever uses them.
class Templates {
public:
    // A template as it is written: its sides as lists of references (empty: none), its arc atoms, its variants.
    struct Spec {
        std::uint64_t seed;
        std::vector<Reference> head{}, modifier{}, between{}, third{}, fourth{};
        std::vector<ArcAtom> arc{};
        bool alone = false, direction = false, distance = false;
    };
    void add(Section section, const Spec& spec);

    const std::vector<Template>& of(Section section) const { return templates_[static_cast<int>(section)]; }
    const std::vector<Side>& sides() const { return sides_; }
    // All references of sides, each once.
    const std::vector<Reference>& columns() const { return columns_; }
    const std::vector<std::vector<ArcAtom>>& arcs() const { return arcs_; }
    // The atoms of words that any of them needs.
    AtomSet atoms() const { return atoms_; }
    // Which sections use a side or arc atoms, as bits.
    unsigned users_of_side(std::size_t side) const { return side_users_[side]; }
    unsigned users_of_arc(std::size_t arc) const { return arc_users_[arc]; }

private:
    int side(Role role, const std::vector<Reference>& references, unsigned user);
    int arc(const std::vector<ArcAtom>& atoms, unsigned user);

    int column(Reference reference);

    std::vector<Side> sides_;
    std::vector<Reference> columns_;
    AtomSet atoms_ = 0;
    std::vector<std::vector<ArcAtom>> arcs_;
    std::vector<unsigned> side_users_, arc_users_;
    std::array<std::vector<Template>, section_count> templates_;
};

constexpr unsigned bit_of(Section section) { return 1u << static_cast<int>(section); }

// Direction and binned distance of an arc as a number below 16; 0 is kept for "alone". The numbers are fixed by their
// definition: models hang on them.
inline constexpr std::uint32_t root_code = 15, left_code = 13, right_code = 14;
std::uint32_t distance_code(int head, int modifier);
inline std::uint32_t direction_code(int head, int modifier) {
    return head == 0 ? root_code : modifier < head ? left_code : right_code;
}

}  // namespace arbora
