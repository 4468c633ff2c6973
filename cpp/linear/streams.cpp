#include "linear/streams.hpp"

namespace arbora {

void set_streams(const std::vector<Template>& templates, const Prepared& sentence, std::vector<Stream>& streams) {
    streams.clear();
    for (const Template& t : templates) {
        if (t.between >= 0) continue;
        const bool masked = !sentence.is_full(t.head) || !sentence.is_full(t.modifier);
        for (int hs = 0; hs < sentence.slots(t.head); ++hs)
            for (int ms = 0; ms < sentence.slots(t.modifier); ++ms)
                streams.push_back(
                    {t.seed, sentence.values(t.head, hs), sentence.values(t.modifier, ms),
                     t.arc < 0 ? nullptr : sentence.arc_table(t.arc), masked ? sentence.valid(t.head, hs) : nullptr,
                     masked ? sentence.valid(t.modifier, ms) : nullptr, t.alone, t.direction, t.distance});
    }
}

}  // namespace arbora
