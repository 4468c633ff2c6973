// The heads of two neighbouring words.
#include "parts/pair_parts.hpp"

namespace arbora {
namespace {

class HeadBigrams final : public PairParts<HeadBigrams> {
public:
    Section section() const override { return Section::head_bigrams; }

    template <class Each>
    static void for_pairs(const ArcIndex& arcs, Each each) {
        for (int word = 2; word <= arcs.n(); ++word)
            for (int a = arcs.heads_begin(word - 1); a < arcs.heads_end(word - 1); ++a)
                for (int b = arcs.heads_begin(word); b < arcs.heads_end(word); ++b) {
                    const int before = arcs.arc(a).head, head = arcs.arc(b).head;
                    if (before == word && head == word - 1) continue;  // a cycle
                    each(a, b, part(before, head, word));
                }
    }

private:
    // The third word is the head of the word before.
    static Part part(int before, int head, int word) {
        const auto place = [&](int other) { return other == 0 ? 0 : other < word - 1 ? 1 : other > word ? 2 : 3; };
        const int places = 4 * place(before) + place(head);  // 3: the neighbour is the head
        const int order = before == head ? 0 : before < head ? 1 : 2;
        return {head,
                word,
                before,
                0,
                static_cast<std::uint8_t>(1 + places),
                static_cast<std::uint8_t>(17 + 3 * (place(head) == 3 ? 0 : 1 + place(before)) + order)};
    }
};

}  // namespace

std::unique_ptr<PartKind> make_head_bigrams() { return std::make_unique<HeadBigrams>(); }

}  // namespace arbora
