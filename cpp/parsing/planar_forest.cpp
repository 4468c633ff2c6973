#include "parsing/planar_forest.hpp"

#include <algorithm>
#include <numeric>

#include "factors/crossing_sums.hpp"

namespace arbora {
namespace {

bool covers(int head, int modifier, int word) {
    return std::min(head, modifier) < word && word < std::max(head, modifier);
}

}  // namespace

PlanarForest::PlanarForest(int n) : n_(n), heads_(n + 1, -1), tops_(n + 1) { std::iota(tops_.begin(), tops_.end(), 0); }

bool PlanarForest::add(int head, int modifier) {
    if (!fits(head, modifier)) return false;
    heads_[modifier] = head;
    if (!head) root_ = modifier;
    std::replace(tops_.begin() + 1, tops_.end(), modifier, tops_[head]);
    return true;
}

bool PlanarForest::fits(int head, int modifier) const {
    const int top = tops_[head];
    if (heads_[modifier] >= 0 || top == modifier || (top && covers(head, modifier, top))) return false;
    for (int m = 1; m <= n_; ++m) {
        if (heads_[m] < 0) continue;
        if (arcs_cross(head, modifier, heads_[m], m)) return false;
        if (top && (tops_[m] == top || tops_[m] == modifier) && covers(heads_[m], m, top)) return false;
    }
    return true;
}

void PlanarForest::complete() {
    if (!root_) add(0, tops_[1]);  // nothing covers it: the arc would cross those from it to the first word
    for (int top = 1; top <= n_; ++top) {
        if (heads_[top] >= 0) continue;
        int first = top, last = top;
        for (int word = 1; word <= n_; ++word)
            if (tops_[word] == top) {
                first = std::min(first, word);
                last = std::max(last, word);
            }
        add(last < root_ ? last + 1 : first - 1, top);
    }
}

}  // namespace arbora
