#pragma once
#include <algorithm>
#include <vector>

#include "charts/chart.hpp"
#include "semirings/max.hpp"
#include "support/exponential.hpp"
#include "support/interruption.hpp"
#include "support/random.hpp"

namespace arbora {

// Charts of short sentences are done before anybody could ask, and to look at the clock takes as long as their equations.
inline void heed_if_long(const Equation& e) {
    if (e.count > 32) Interruption::heed();
}

// Values of all items from their leaves', in any semiring.
template <class Semiring, Chart C>
void inside(const C& chart, double* values) {
    chart.bottom_up([values](const Equation& e) {
        heed_if_long(e);
        const double value = e.count == 1 ? Semiring::times(values[e.left], values[e.right])
                                          : Semiring::dot(values + e.left, values + e.right, e.count);
        values[e.item] = value;
        if (e.mirror >= 0) values[e.mirror] = value;
    });
}

// What is around an item in all derivations that use it, in any semiring: inside times outside is the sum (or the
// maximum) over those. An item with a mirror has its outside in two places.
template <class Semiring, Chart C>
void outside(const C& chart, const double* inside, double* outside) {
    std::fill_n(outside, chart.item_count(), Semiring::zero);
    outside[chart.goal()] = Semiring::one;
    chart.top_down([&](const Equation& e) {
        heed_if_long(e);
        const double above = e.mirror >= 0 ? Semiring::plus(outside[e.item], outside[e.mirror]) : outside[e.item];
        if (above == Semiring::zero) return;
        const double *left = inside + e.left, *right = inside + e.right;
        double *around_left = outside + e.left, *around_right = outside + e.right;
        for (int k = 0; k < e.count; ++k)
            around_left[k] = Semiring::plus(around_left[k], Semiring::times(above, right[k]));
        for (int k = 0; k < e.count; ++k)
            around_right[k] = Semiring::plus(around_right[k], Semiring::times(above, left[k]));
    });
}

// What an item's probability p gives to the ways it came about: adds p * exp(a[k] + b[k] - total) to the k-th entries
// of both operands' probabilities.
void share_out(double p, double total, const double* a, const double* b, int count, double* a_probabilities,
               double* b_probabilities);

// The probability that an item is used, from log-semiring insides: pushed down from the goal, so that nothing is
// subtracted and one exponential an edge is all it takes.
template <Chart C>
void posteriors(const C& chart, const double* inside, double* probabilities) {
    std::fill_n(probabilities, chart.item_count(), 0.0);
    probabilities[chart.goal()] = 1;
    chart.top_down([&](const Equation& e) {
        heed_if_long(e);
        const double p = probabilities[e.item] + (e.mirror >= 0 ? probabilities[e.mirror] : 0);
        if (p > 0)
            share_out(p, inside[e.item], inside + e.left, inside + e.right, e.count, probabilities + e.left,
                      probabilities + e.right);
    });
}

// The entropy of choosing one of the ways, whose probabilities are exp(a[k] + b[k] - total).
double choice_entropy(double total, const double* a, const double* b, int count);

// The entropy of the distribution over derivations, by the chain rule: what is open at an item, times the probability
// that the item is used. Every term is positive, so nothing cancels.
template <Chart C>
double derivation_entropy(const C& chart, const double* inside, const double* probabilities) {
    double entropy = 0;
    chart.top_down([&](const Equation& e) {
        heed_if_long(e);
        const double p = probabilities[e.item] + (e.mirror >= 0 ? probabilities[e.mirror] : 0);
        if (p > 0 && e.count > 1)
            entropy += p * choice_entropy(inside[e.item], inside + e.left, inside + e.right, e.count);
    });
    return entropy;
}

// Walks one derivation from the goal down; choose(equation) says by which k an item came about, leaf(item) hears of
// every leaf it ends in.
template <Chart C, class Choose, class Leaf>
void walk(const C& chart, Choose choose, Leaf leaf) {
    std::vector<int> stack{chart.goal()};
    while (!stack.empty()) {
        const Equation e = chart.equation(stack.back());
        stack.pop_back();
        if (e.count == 0) {
            leaf(e.item);
            continue;
        }
        const int k = choose(e);
        stack.push_back(e.left + k);
        stack.push_back(e.right + k);
    }
}

// The best derivation, from max-semiring insides; of equals, the first.
template <Chart C, class Leaf>
void best_derivation(const C& chart, const double* inside, Leaf leaf) {
    auto best_way = [inside](const Equation& e) {
        int best = 0;
        double score = MaxSemiring::zero;
        for (int k = 0; k < e.count; ++k) {
            const double value = inside[e.left + k] + inside[e.right + k];
            if (value > score) score = value, best = k;
        }
        return best;
    };
    walk(chart, best_way, leaf);
}

// A derivation drawn with its probability, from log-semiring insides.
template <Chart C, class Leaf>
void sample_derivation(const C& chart, const double* inside, Random& random, Leaf leaf) {
    auto drawn_way = [inside, &random](const Equation& e) {
        double left = random.uniform();
        int last = 0;
        for (int k = 0; k < e.count; ++k) {
            const double p = exp_bounded(inside[e.left + k] + inside[e.right + k] - inside[e.item]);
            if (p == 0) continue;
            last = k;
            if ((left -= p) < 0) break;
        }
        return last;
    };
    walk(chart, drawn_way, leaf);
}

}  // namespace arbora
