#pragma once
#include <algorithm>

namespace arbora {

// One of k and l is strictly between i and j, the other strictly outside (Smith & Eisner 2008, section 3.3).
inline bool arcs_cross(int i, int j, int k, int l) {
    const auto [low, high] = std::minmax(i, j);
    const auto is_between = [low = low, high = high](int x) { return low < x && x < high; };
    const auto is_outside = [low = low, high = high](int x) { return x < low || x > high; };
    return (is_between(k) && is_outside(l)) || (is_between(l) && is_outside(k));
}

// For each head i of word j, the sums of weights[k] over the heads k of word l whose arc k -> l crosses i -> j, and over
// those whose arc does not; i = j is left alone. Heads are 0 .. words.
//
// Which k cross is a range that ends at i and j, or what lies outside it. As j stays, all such sums grow from j, or
// from the ends of the sentence, by one term each: O(n) in all, and without a subtraction, which could cancel.
template <class S>
void sum_crossing(int words, int j, int l, const double* weights, double* crossing, double* straight) {
    // All i on one side of j, where step points to and `end` is the last one.
    const auto sweep = [&](int step, int end) {
        double beyond = S::zero;  // everything on the far side of j
        for (int k = j - step; k >= 0 && k <= words; k -= step) beyond = S::plus(beyond, weights[k]);
        const double beyond_with_j = S::plus(beyond, weights[j]);
        // straight[] holds, for a while, what is farther out than i.
        double farther = S::zero;
        for (int i = end; i != j; i -= step) {
            straight[i] = farther;
            farther = S::plus(farther, weights[i]);
        }
        double between = S::zero;
        for (int i = j + step; i >= 0 && i <= words; i += step) {
            const double out = straight[i], own = weights[i];
            if (i == l) {
                crossing[i] = S::zero;
                straight[i] = S::plus(S::plus(beyond_with_j, between), S::plus(own, out));
            } else if ((l - j) * step > 0 && (i - l) * step > 0) {  // l is between
                crossing[i] = S::plus(beyond, out);
                straight[i] = S::plus(S::plus(weights[j], between), own);
            } else {
                crossing[i] = between;
                straight[i] = S::plus(beyond_with_j, S::plus(own, out));
            }
            between = S::plus(between, own);
        }
    };
    sweep(1, words);
    sweep(-1, 0);
}

}  // namespace arbora
