#include "linear/pair_hashes.hpp"

#include "support/vectorise.hpp"

namespace arbora {
namespace {

bool has_one_value(const Prepared& sentence, int side) { return sentence.is_full(side) && sentence.slots(side) == 1; }

ARBORA_VECTORISED void add_rows(const std::uint32_t* __restrict a, const std::uint32_t* __restrict b, std::size_t count,
                                std::uint32_t* __restrict sums) {
    for (std::size_t i = 0; i < count; ++i) sums[i] = a[i] + b[i];
}

}  // namespace

void PairHashes::set(const std::vector<Template>& templates, const Prepared& sentence) {
    in_rows_.clear();
    others_.clear();
    std::size_t most = 0;
    for (int variants = 1; variants < variants_count; ++variants)
        for (const Template& t : templates) {
            if (t.between >= 0 || variants_of(t) != variants) continue;
            const bool in_row = has_one_value(sentence, t.head) && has_one_value(sentence, t.modifier);
            (in_row ? in_rows_ : others_).push_back(&t);
            most += static_cast<std::size_t>(sentence.slots(t.head)) * sentence.slots(t.modifier);
        }
    hashes_.resize(most);
    lay_out(sentence);
}

void PairHashes::lay_out(const Prepared& sentence) {
    const std::size_t columns = in_rows_.size(), width = sentence.width();
    heads_.resize(columns * width);
    modifiers_.resize(columns * width);
    arcs_.clear();
    segments_.clear();
    for (std::size_t c = 0; c < columns; ++c) {
        const Template& t = *in_rows_[c];
        const std::uint32_t *of_head = sentence.values(t.head, 0), *of_modifier = sentence.values(t.modifier, 0);
        for (std::size_t i = 0; i < width; ++i) heads_[i * columns + c] = t.seed + of_head[i];
        for (std::size_t i = 0; i < width; ++i) modifiers_[i * columns + c] = of_modifier[i];
        if (t.arc >= 0) arcs_.push_back({c, sentence.arc_table(t.arc)});
        if (segments_.empty() || segments_.back().variants != variants_of(t))
            segments_.push_back({variants_of(t), hashes_.data() + c, nullptr});
        segments_.back().end = hashes_.data() + c + 1;
    }
    row_segments_ = segments_.size();
}

const std::vector<PairHashes::Segment>& PairHashes::find(const Prepared& sentence, int head, int modifier) {
    const std::size_t columns = in_rows_.size();
    std::uint32_t* out = hashes_.data();
    add_rows(heads_.data() + head * columns, modifiers_.data() + modifier * columns, columns, out);
    const std::size_t cell = static_cast<std::size_t>(head) * sentence.width() + modifier;
    for (const ArcColumn& arc : arcs_) out[arc.column] += arc.table[cell];
    out += columns;
    segments_.resize(row_segments_);
    for (const Template* t : others_) {
        if (segments_.size() == row_segments_ || segments_.back().variants != variants_of(*t))
            segments_.push_back({variants_of(*t), out, out});
        out = add_others(*t, sentence, head, modifier, out);
        segments_.back().end = out;
    }
    return segments_;
}

std::uint32_t* PairHashes::add_others(const Template& t, const Prepared& sentence, int head, int modifier,
                                      std::uint32_t* out) const {
    const int of_head = sentence.count(t.head, head), of_modifier = sentence.count(t.modifier, modifier);
    if (of_head == 0 || of_modifier == 0) return out;
    const int width = sentence.width();
    const std::uint32_t *heads = sentence.values(t.head, 0) + head,
                        *modifiers = sentence.values(t.modifier, 0) + modifier;
    const std::uint32_t start = t.seed + (t.arc < 0 ? 0 : sentence.arc_row(t.arc, head)[modifier]);
    for (int h = 0; h < of_head; ++h)
        for (int m = 0; m < of_modifier; ++m) *out++ = start + heads[h * width] + modifiers[m * width];
    return out;
}

}  // namespace arbora
