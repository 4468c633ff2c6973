// Three neighbouring modifiers on one side of a head, with START before the first and END after the last: a part for each
// modifier that is taken, with what comes before and after it.
#include <algorithm>

#include "factors/child_trigrams.hpp"
#include "factors/trigrams.hpp"
#include "parts/part_kind.hpp"

namespace arbora {
namespace {

class TriSiblings final : public PartKind {
public:
    Section section() const override { return Section::tri_siblings; }

    void list(const ArcIndex& arcs, std::vector<Part>& parts) const override {
        thread_local std::vector<int> words;
        for_sides(arcs, [&](int head, bool is_right, std::span<const int> side) {
            words.assign(1, head);
            for (int a : side) words.push_back(arcs.arc(a).modifier);
            words.push_back(head);
            list_side(words, is_right, parts);
        });
    }

    std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs, const Descents&,
                                                    std::vector<double> scores) const override {
        return std::make_shared<ChildTrigrams>(wire_sides(variables, arcs), std::move(scores));
    }

private:
    // The third word is the one in the middle, the fourth the one before it; the head stands for START and for END.
    // `words`: the head, the modifiers outwards, the head. O(p^3) parts, so that nothing is left to do for each of them but
    // to write it down.
    static void list_side(const std::vector<int>& words, bool is_right, std::vector<Part>& parts) {
        const int end = static_cast<int>(words.size()) - 1, head = words[0];
        const std::size_t begin = parts.size();
        parts.resize(begin + trigram_count(end - 1));
        Part* next = parts.data() + begin;
        for (int last = 2; last <= end; ++last)
            for (int middle = 1; middle < last; ++middle) {
                const bool ends = last == end;
                const int onward = ends ? 3 : reach(words[middle], words[last]);
                for (int first = 0; first < middle; ++first) {
                    const int back = first ? reach(words[first], words[middle]) : 3;
                    *next++ = {head,
                               words[last],
                               words[middle],
                               words[first],
                               static_cast<std::uint8_t>(1 + 4 * (first == 0) + 2 * ends + is_right),
                               static_cast<std::uint8_t>(9 + 4 * back + onward)};
                }
            }
    }

    // 1 to 8: whether it starts, whether it ends, the side. 9 to 24: how far it is to the word before and to the word
    // after, three bins each, or that there is none.
    static int reach(int from, int to) { return std::min(distance_bin(from, to), 2); }
};

}  // namespace

std::unique_ptr<PartKind> make_tri_siblings() { return std::make_unique<TriSiblings>(); }

}  // namespace arbora
