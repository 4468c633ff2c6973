#include "tagging/words.hpp"

#include <algorithm>

namespace arbora {

void Words::set(std::span<const std::string_view> forms) {
    thread_local WordView word;
    const std::size_t outside = static_cast<std::size_t>(reach) * atom_count, inside = forms.size() * atom_count;
    atoms_.assign(inside + 2 * outside, 0);
    std::fill_n(atoms_.begin(), outside, before_atom);
    std::fill_n(atoms_.end() - static_cast<std::ptrdiff_t>(outside), outside, after_atom);
    std::uint64_t* row = atoms_.data() + outside;
    for (std::string_view form : forms) {
        word.set({.form = form});
        fill_atoms(word, atoms_of_form, row);
        row += atom_count;
    }
}

WordTemplate::WordTemplate(std::uint64_t its_seed, const std::vector<Reference>& references)
    : seed(mix_bits(its_seed)) {
    for (const Reference& reference : references)
        places.push_back(reference.offset * atom_count + static_cast<int>(reference.atom));
}

}  // namespace arbora
