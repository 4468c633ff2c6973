#include "linear/streams.hpp"

#include "support/vectorise.hpp"

namespace arbora {
namespace {

ARBORA_VECTORISED void add_two(const std::uint32_t* __restrict heads, const std::uint32_t* __restrict modifiers,
                               const std::uint32_t* __restrict of_head, const std::uint32_t* __restrict of_modifier,
                               std::uint32_t seed, std::uint32_t mask, std::size_t count,
                               std::uint32_t* __restrict indices) {
    for (std::size_t i = 0; i < count; ++i) indices[i] = (seed + of_head[heads[i]] + of_modifier[modifiers[i]]) & mask;
}

ARBORA_VECTORISED void add_arcs(const std::uint32_t* __restrict cells, const std::uint32_t* __restrict of_arc,
                                std::uint32_t mask, std::size_t count, std::uint32_t* __restrict indices) {
    for (std::size_t i = 0; i < count; ++i) indices[i] = (indices[i] + of_arc[cells[i]]) & mask;
}

}  // namespace

void ArcColumns::set(const Prepared& sentence, const std::vector<Arc>& arcs) {
    for (auto* column : {&heads, &modifiers, &cells, &distances, &directions}) column->resize(arcs.size());
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const auto [h, m] = arcs[i];
        heads[i] = static_cast<std::uint32_t>(h);
        modifiers[i] = static_cast<std::uint32_t>(m);
        cells[i] = static_cast<std::uint32_t>(h) * static_cast<std::uint32_t>(sentence.width()) + modifiers[i];
        distances[i] = sentence.distance_row(h)[m];
        directions[i] = sentence.direction_row(h)[m];
    }
}

void set_streams(const std::vector<Template>& templates, const Prepared& sentence, std::vector<Stream>& streams) {
    streams.clear();
    for (const Template& t : templates) {
        if (t.between >= 0) continue;
        const bool masked = !sentence.is_full(t.head) || !sentence.is_full(t.modifier);
        for (int hs = 0; hs < sentence.slots(t.head); ++hs)
            for (int ms = 0; ms < sentence.slots(t.modifier); ++ms)
                streams.push_back({t.seed, sentence.values(t.head, hs), sentence.values(t.modifier, ms),
                                   t.arc < 0 ? nullptr : sentence.arc_table(t.arc),
                                   masked ? sentence.valid(t.head, hs) : nullptr,
                                   masked ? sentence.valid(t.modifier, ms) : nullptr, t.alone, t.direction,
                                   t.distance});
    }
}

void fill_indices(const Stream& stream, const ArcColumns& arcs, std::uint32_t mask, std::uint32_t* indices) {
    add_two(arcs.heads.data(), arcs.modifiers.data(), stream.heads, stream.modifiers, stream.seed, mask, arcs.size(),
            indices);
    if (stream.arcs) add_arcs(arcs.cells.data(), stream.arcs, mask, arcs.size(), indices);
}

}  // namespace arbora
