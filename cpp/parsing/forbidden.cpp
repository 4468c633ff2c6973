#include "parsing/forbidden.hpp"

#include <algorithm>
#include <numeric>

namespace arbora {

void ForbiddenArcs::set(int n, std::span<const treebank::ForbiddenArc> arcs) {
    starts_.assign(n + 2, 0);
    heads_.resize(arcs.size());
    for (const auto& arc : arcs) ++starts_[arc.modifier + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::size_t> next(starts_.begin(), starts_.end());
    for (const auto& arc : arcs) heads_[next[arc.modifier]++] = arc.head;
    for (int m = 0; m <= n; ++m) std::sort(heads_.begin() + starts_[m], heads_.begin() + starts_[m + 1]);
}

bool ForbiddenArcs::has(int head, int modifier) const {
    return !empty() &&
           std::binary_search(heads_.begin() + starts_[modifier], heads_.begin() + starts_[modifier + 1], head);
}

bool ForbiddenArcs::allows(const int* heads) const {
    for (int m = 1; m + 1 < static_cast<int>(starts_.size()); ++m)
        if (has(heads[m], m)) return false;
    return true;
}

ForbiddenArcs ForbiddenArcs::among(std::span<const int> words, bool with_root) const {
    std::vector<treebank::ForbiddenArc> found;
    for (std::size_t i = 0; i < words.size() && !empty(); ++i)
        for (std::size_t at = starts_[words[i]]; at < starts_[words[i] + 1]; ++at) {
            const int modifier = static_cast<int>(i) + 1;
            if (!heads_[at]) {
                if (with_root) found.push_back({0, modifier});
                continue;
            }
            const auto place = std::lower_bound(words.begin(), words.end(), heads_[at]);
            if (place != words.end() && *place == heads_[at])
                found.push_back({static_cast<int>(place - words.begin()) + 1, modifier});
        }
    ForbiddenArcs result;
    result.set(static_cast<int>(words.size()), found);
    return result;
}

}  // namespace arbora
