#include "linear/prepared.hpp"

#include <algorithm>

#include "linear/hashing.hpp"

namespace arbora {
namespace {

// Counts by class up to three, the set of tags, 0 to 2 for the nesting of brackets and 3 more for an open quote: what the
// numbers mean is fixed by their definition, and so are models.
std::uint64_t nesting_code(int depth, int quotes) { return (depth > 0 ? 1 : depth < 0 ? 2 : 0) + 3 * (quotes & 1); }

}  // namespace

int Prepared::relative(int i, int offset) const {
    if (offset == first_child) return first_children_[i];
    if (offset == last_child) return last_children_[i];
    if (offset == parent) return parents_[i];
    const int j = i + offset;
    return j < 1 ? -1 : std::min(j, n_ + 1);
}

std::uint64_t Prepared::special(int i, int j) {
    return i == 0 ? root_atom : j == 0 ? none_atom : j < 0 ? before_atom : after_atom;
}

void Prepared::set(const Templates& templates, const Encoded& encoded, std::size_t sentence, unsigned sections) {
    const std::size_t start = encoded.start(sentence);
    n_ = encoded.length(sentence);
    for (int a = 0; a < atom_count; ++a) {
        present_[a] = false;
        for (int i = 0; i < n_ && !present_[a]; ++i) present_[a] = encoded.atom(start + i, static_cast<Atom>(a)) != 0;
    }
    tags_.clear();
    tag_starts_.assign(1, 0);
    for (int i = 0; i < n_; ++i) {
        const auto own = encoded.tags(start + i);
        tags_.insert(tags_.end(), own.begin(), own.end());
        tag_starts_.push_back(tags_.size());
    }
    values_.clear();
    valid_.clear();
    counts_.clear();
    zeros_.assign(width(), 0);
    ones_.assign(width(), 1);
    sides_.assign(templates.sides().size(), {});
    columns_.resize(templates.columns().size());
    for (Column& column : columns_) column.is_set = false;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        const Side& side = templates.sides()[s];
        if ((templates.users_of_side(s) & sections) && !side.needs_tree) set_side(side, encoded, start, sides_[s]);
    }
    set_arcs(templates, encoded, start, sections);
    set_codes();
}

void Prepared::set_tree(const Templates& templates, const Encoded& encoded, std::size_t sentence, const int* heads) {
    first_children_.assign(width(), 0);
    last_children_.assign(width(), 0);
    parents_.assign(width(), 0);
    for (int m = 1; m <= n_; ++m) {
        if (!first_children_[heads[m]]) first_children_[heads[m]] = m;
        last_children_[heads[m]] = m;
        parents_[m] = heads[m];
    }
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (templates.columns()[c].offset >= first_child) columns_[c].is_set = false;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        const Side& side = templates.sides()[s];
        if (!side.needs_tree) continue;
        sides_[s] = {};
        set_side(side, encoded, encoded.start(sentence), sides_[s]);
    }
}

void Prepared::fill_column(const Encoded& encoded, std::size_t start, Reference reference, Column& column) {
    column.is_set = column.full = true;
    column.atoms.resize(width());
    column.atoms[0] = root_atom;
    for (int i = 1; i <= n_; ++i) {
        const int j = relative(i, reference.offset);
        column.atoms[i] = j >= 1 && j <= n_ ? encoded.atom(start + j - 1, reference.atom) : special(i, j);
        column.full &= column.atoms[i] != 0;
    }
}

void Prepared::set_side(const Side& side, const Encoded& encoded, std::size_t start, SideHashes& result) {
    const Reference* set = nullptr;
    for (const Reference& reference : side.references) {
        if (!present_[static_cast<int>(reference.atom)]) return;
        if (reference.atom == atoms::feat) set = &reference;
    }
    hashes_.assign(width(), side.seed);
    for (std::size_t r = 0; r < side.references.size(); ++r) {
        if (&side.references[r] == set) continue;
        Column& column = columns_[side.columns[r]];
        if (!column.is_set) fill_column(encoded, start, side.references[r], column);
        for (int i = 0; i < width(); ++i) hashes_[i] = join_hashes(hashes_[i], column.atoms[i]);
        if (column.full) continue;
        if (result.full) there_.assign(width(), 1);
        result.full = false;
        for (int i = 0; i < width(); ++i) there_[i] &= column.atoms[i] != 0;
    }
    result.at = values_.size();
    if (set) {
        if (result.full) there_.assign(width(), 1);
        return set_slots(*set, encoded, start, result);
    }
    result.slots = 1;
    for (int i = 0; i < width(); ++i) values_.push_back(static_cast<std::uint32_t>(hashes_[i]));
    if (result.full) return;
    result.valid_at = valid_.size();
    result.counts_at = counts_.size();
    valid_.insert(valid_.end(), there_.begin(), there_.end());
    counts_.insert(counts_.end(), there_.begin(), there_.end());
}

// A row for each member of the words' sets; what is no word has one member.
void Prepared::set_slots(Reference set, const Encoded& encoded, std::size_t start, SideHashes& result) {
    result.full = false;
    result.slots = 1;
    result.counts_at = counts_.size();
    result.valid_at = valid_.size();
    for (int i = 0; i < width(); ++i) {
        const int j = i ? relative(i, set.offset) : -1;
        const int members = j >= 1 && j <= n_ ? encoded.feat_count(start + j - 1) : 1;
        counts_.push_back(there_[i] ? members : 0);
        result.slots = std::max(result.slots, counts_.back());
    }
    const std::size_t cells = static_cast<std::size_t>(result.slots) * width();
    values_.resize(result.at + cells);
    valid_.resize(result.valid_at + cells, 0);
    for (int i = 0; i < width(); ++i) {
        const int j = i ? relative(i, set.offset) : -1;
        for (int slot = 0; slot < counts_[result.counts_at + i]; ++slot) {
            const std::uint64_t member = j >= 1 && j <= n_ ? encoded.feats_begin(start + j - 1)[slot] : special(i, j);
            const std::size_t cell = static_cast<std::size_t>(slot) * width() + i;
            values_[result.at + cell] = static_cast<std::uint32_t>(join_hashes(hashes_[i], member));
            valid_[result.valid_at + cell] = 1;
        }
    }
}

void Prepared::set_arcs(const Templates& templates, const Encoded& encoded, std::size_t start, unsigned sections) {
    const std::size_t size = static_cast<std::size_t>(width()) * width();
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < templates.arcs().size(); ++kind)
        if (templates.users_of_arc(kind) & sections) kinds.push_back(kind);
    if (kinds.empty()) return;
    arcs_.resize(templates.arcs().size() * size);
    // From each word rightwards; what lies between is the same in both directions.
    for (int left = 0; left <= n_; ++left) {
        std::uint32_t tags = 0;
        std::array<int, 5> counts{};
        int depth = 0, quotes = 0;
        for (int right = left + 1; right <= n_; ++right) {
            const std::array<std::uint64_t, arc_atom_names.size()> values{
                static_cast<std::uint64_t>(std::min(counts[1], 3)), static_cast<std::uint64_t>(std::min(counts[2], 3)),
                static_cast<std::uint64_t>(std::min(counts[3], 3)), tags, nesting_code(depth, quotes)};
            for (std::size_t kind : kinds) {
                std::uint64_t hash = 17;
                for (ArcAtom atom : templates.arcs()[kind])
                    hash = join_hashes(hash, seed_of(atom) + values[static_cast<int>(atom)]);
                std::uint32_t* table = arcs_.data() + kind * size;
                hash *= 0xd6e8feb86659fd93;
                const auto short_hash = static_cast<std::uint32_t>(hash ^ (hash >> 32));
                table[static_cast<std::size_t>(left) * width() + right] = short_hash;
                table[static_cast<std::size_t>(right) * width() + left] = short_hash;
            }
            const std::size_t word = start + right - 1;
            tags |= 1u << encoded.tag_number(word);
            ++counts[static_cast<int>(encoded.word_class(word))];
            const Nesting nesting = encoded.nesting(word);
            depth += (nesting == Nesting::opens) - (nesting == Nesting::closes);
            quotes += nesting == Nesting::quotes;
        }
    }
}

void Prepared::set_codes() {
    // Index n + 1 + modifier - head, so that a row per head is a window.
    if (static_cast<int>(distances_.size()) == 2 * n_ + 2) return;
    distances_.assign(2 * n_ + 2, 0);
    directions_.assign(2 * n_ + 2, 0);
    root_codes_.assign(width(), root_code);
    for (int delta = -n_; delta <= n_; ++delta) {
        if (delta == 0) continue;
        const int head = n_ + 1, modifier = head + delta;
        distances_[n_ + 1 + delta] = distance_code(head, modifier);
        directions_[n_ + 1 + delta] = direction_code(head, modifier);
    }
}

}  // namespace arbora
