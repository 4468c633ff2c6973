// An arc that is not projective: a word between its ends does not descend from its head (Martins et al. 2010, through path
// variables). Projective trees have no such parts.
#include "parts/nonprojective_arcs.hpp"

#include <algorithm>

#include "factors/and_any.hpp"
#include "parts/descents.hpp"
#include "parts/part_kind.hpp"

namespace arbora {
namespace {

class NonprojectiveArcs final : public PartKind {
public:
    Section section() const override { return Section::nonprojective_arcs; }

    // 1 and 2: the direction; with five bins of how far the words are apart, 3 to 12.
    void list(const ArcIndex& arcs, std::vector<Part>& parts) const override {
        for (const Arc& arc : arcs.arcs()) {
            if (!spans_words(arc)) continue;
            const int is_right = arc.modifier > arc.head, bin = distance_bin(arc.head, arc.modifier) - 1;
            parts.push_back({arc.head, arc.modifier, arc.head, 0, static_cast<std::uint8_t>(1 + is_right),
                             static_cast<std::uint8_t>(3 + 2 * bin + is_right)});
        }
    }

    std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs,
                                                    const Descents& descents,
                                                    std::vector<double> scores) const override {
        Wiring wiring;
        std::vector<Input> inputs;
        for (int a = 0; a < arcs.count(); ++a) {
            const Arc& arc = arcs.arc(a);
            if (!spans_words(arc)) continue;
            inputs.assign(1, {a});
            const auto [first, last] = std::minmax(arc.head, arc.modifier);
            for (int word = first + 1; word < last; ++word) {
                const Input below = descents.at(arc.head, word), above{below.variable, !below.negated};
                // What the arc itself makes sure of is left out, and what others say already: it would be counted twice.
                const bool is_sure = below == descents.certain() || below == descents.at(arc.head, arc.modifier);
                if (!is_sure && std::find(inputs.begin(), inputs.end(), above) == inputs.end()) inputs.push_back(above);
            }
            wiring.add_factor(variables, inputs);
        }
        return std::make_shared<AndAny>(wiring, std::move(scores));
    }

    bool sees_descents() const override { return true; }
};

}  // namespace

std::unique_ptr<PartKind> make_nonprojective_arcs() { return std::make_unique<NonprojectiveArcs>(); }

NonprojectiveScores::NonprojectiveScores(const ArcIndex& arcs, const std::vector<double>& scores)
    : arcs_(&arcs), by_arc_(arcs.count(), 0.0), begins_(arcs.n() + 1), ends_(arcs.n() + 1) {
    std::size_t next = 0;
    for (int a = 0; a < arcs.count(); ++a)
        if (spans_words(arcs.arc(a))) by_arc_[a] = scores[next++];
}

// A walk from the root numbers the words so that those below a word follow it: from its begin to its end.
double NonprojectiveScores::of_tree(const int* heads) {
    const int n = arcs_->n();
    first_.assign(n + 1, 0);
    next_.assign(n + 1, 0);
    for (int m = n; m >= 1; --m) {
        next_[m] = first_[heads[m]];
        first_[heads[m]] = m;
    }
    int number = 0;
    stack_.assign(1, 0);
    while (!stack_.empty()) {
        const int word = stack_.back();
        if (first_[word] < 0) {  // all below it have been seen
            ends_[word] = number;
            stack_.pop_back();
            continue;
        }
        begins_[word] = number++;
        for (int child = first_[word]; child; child = next_[child]) stack_.push_back(child);
        first_[word] = -1;
    }
    double total = 0;
    for (int m = 1; m <= n; ++m) {
        if (!spans_words({heads[m], m})) continue;
        const auto [first, last] = std::minmax(heads[m], m);
        const int begin = begins_[heads[m]], end = ends_[heads[m]];
        for (int word = first + 1; word < last; ++word)
            if (begins_[word] < begin || begins_[word] >= end) {
                total += by_arc_[arcs_->find(heads[m], m)];
                break;
            }
    }
    return total;
}

}  // namespace arbora
