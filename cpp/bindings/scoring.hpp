// What the bindings of scorers share.
#pragma once
#include "bindings.hpp"
#include "parsing.hpp"
#include "parsing/scorer.hpp"

namespace arbora {

inline std::vector<int> lengths_of(const Scorer& scorer) {
    std::vector<int> result;
    for (std::size_t i = 0; i < scorer.sentences(); ++i) result.push_back(scorer.length(i));
    return result;
}

// Where sentences begin in flat arrays of n + 1 places for each.
inline std::vector<std::size_t> starts_of(const Scorer& scorer) {
    std::vector<std::size_t> result{0};
    for (int length : lengths_of(scorer)) result.push_back(result.back() + length + 1);
    return result;
}

// Numbers of the words of sentences from `first` to `last`, each with one place more for its root, or null if there are
// none: one of them is `most(length)` at most, -1 is not known.
template <class Most>
const int* checked(const Scorer& scorer, std::size_t first, std::size_t last, const OptionalIntegers& array, Most most,
                   const char* name) {
    if (!array) return nullptr;
    std::size_t count = 0;
    for (std::size_t i = first; i < last; ++i) count += scorer.length(i) + 1;
    expect_length(*array, count, name);
    const int* at = array->data();
    for (std::size_t i = first; i < last; ++i) {
        const int n = scorer.length(i);
        expect_all_between(at + 1, n, -1, most(n), name);
        at += n + 1;
    }
    return array->data();
}

inline const int* checked_heads(const Scorer& scorer, std::size_t first, std::size_t last,
                                const OptionalIntegers& array, const char* name) {
    return checked(scorer, first, last, array, [](int n) { return n; }, name);
}

// Of labels or tags, of which there are `count`.
inline const int* checked_numbers(const Scorer& scorer, std::size_t first, std::size_t last,
                                  const OptionalIntegers& array, int count, const char* name) {
    return checked(scorer, first, last, array, [count](int) { return count - 1; }, name);
}

// Arcs of one sentence that no tree may have: (head, modifier).
inline ForbiddenArcs forbidden_arcs(int n, const ArcSpec& spec) {
    std::vector<treebank::ForbiddenArc> arcs;
    for (const auto& [head, modifier] : spec) {
        expect_between(head, 0, n, "forbidden");
        expect_between(modifier, 1, n, "forbidden");
        arcs.push_back({head, modifier});
    }
    ForbiddenArcs result;
    result.set(n, arcs);
    return result;
}

}  // namespace arbora

void bind_array_scorer(nanobind::module_& m);
