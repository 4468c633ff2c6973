#include "tagging/words.hpp"

#include "support/letters.hpp"

namespace arbora {
namespace {

std::uint64_t seed_of(WordAtom atom) { return mix_bits(static_cast<std::uint64_t>(atom) + 101); }

// Of a run at most two: "McDonald's" is XxXxx'x.
class Shape {
public:
    void add(char32_t letter) {
        const char32_t kind = is_upper(letter) ? U'X' : is_letter(letter) ? U'x' : is_digit(letter) ? U'd' : letter;
        if (kind == last_ && kind == before_) return;
        before_ = last_;
        last_ = kind;
        hash_ = join_hashes(hash_, kind);
    }
    std::uint64_t hash() const { return hash_; }

private:
    char32_t last_ = 0, before_ = 0;
    std::uint64_t hash_ = seed_of(WordAtom::shape);
};

// Yes or no to a few questions, and how long the word is, up to 12 in steps of 3.
std::uint64_t kind_of(std::u32string_view letters) {
    bool digit = false, hyphen = false, upper = false, lower = false, other = false;
    for (char32_t letter : letters) {
        digit |= is_digit(letter);
        hyphen |= letter == U'-';
        upper |= is_upper(letter);
        lower |= is_letter(letter) && !is_upper(letter);
        other |= !is_letter(letter) && !is_digit(letter) && letter != U'-';
    }
    const bool initial = !letters.empty() && is_upper(letters[0]);
    const std::uint64_t length = letters.size() > 12 ? 4 : letters.size() / 3;
    return join_hashes(seed_of(WordAtom::kind),
                       digit | hyphen << 1 | upper << 2 | lower << 3 | other << 4 | initial << 5 | length << 6);
}

void set_row(std::string_view form, std::uint64_t* row) {
    thread_local std::u32string letters, lower;
    const auto set = [row](WordAtom atom, std::uint64_t value) { row[static_cast<int>(atom)] = value; };
    decode_utf8(form, letters);
    lower = letters;
    Shape shape;
    for (char32_t& letter : lower) {
        shape.add(letter);
        letter = to_lower(letter);
    }
    std::uint64_t hash = seed_of(WordAtom::lower);
    for (char32_t letter : lower) hash = join_hashes(hash, letter);
    set(WordAtom::form, hash_text(form, seed_of(WordAtom::form)));
    set(WordAtom::lower, hash);
    set(WordAtom::shape, shape.hash());
    set(WordAtom::kind, kind_of(letters));
    const int size = static_cast<int>(lower.size());
    hash = seed_of(WordAtom::prefix1);
    for (int k = 0; k < longest_prefix && k < size; ++k)
        row[static_cast<int>(WordAtom::prefix1) + k] = hash = join_hashes(hash, lower[k]);
    hash = seed_of(WordAtom::suffix1);
    for (int k = 0; k < longest_suffix && k < size; ++k)
        row[static_cast<int>(WordAtom::suffix1) + k] = hash = join_hashes(hash, lower[size - 1 - k]);
}

}  // namespace

void Words::set(std::span<const std::string_view> forms) {
    atoms_.assign((forms.size() + 2 * reach) * word_atoms, 0);
    const int count = static_cast<int>(forms.size());
    for (int outside = 1; outside <= reach; ++outside)
        for (int atom = 0; atom < word_atoms; ++atom) {
            atoms_[static_cast<std::size_t>(reach - outside) * word_atoms + atom] = mix_bits(1);
            atoms_[static_cast<std::size_t>(reach + count + outside - 1) * word_atoms + atom] = mix_bits(2);
        }
    for (int word = 0; word < count; ++word)
        set_row(forms[word], atoms_.data() + static_cast<std::size_t>(word + reach) * word_atoms);
}

WordTemplate::WordTemplate(std::uint64_t its_seed, const std::vector<Reference>& references)
    : seed(mix_bits(its_seed)) {
    for (const Reference& reference : references)
        places.push_back(reference.offset * word_atoms + static_cast<int>(reference.atom));
}

}  // namespace arbora
