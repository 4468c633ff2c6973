#pragma once
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "charts/chart.hpp"
#include "semirings/max.hpp"
#include "support/interruption.hpp"

namespace arbora {

// The k best derivations, lazily (Huang & Chiang 2005, algorithm 3): an item's next best is worked out only when
// some better-known item asks for it.
//
// `inside` are max-semiring insides; leaf_score(item, rank) is the score of a leaf's rank-th alternative (a leaf may
// have several, such as the labels of an arc), -inf where there is none.
template <Chart C, class LeafScore>
class KBest {
public:
    KBest(const C& chart, const double* inside, LeafScore leaf_score)
        : chart_(chart), inside_(inside), leaf_score_(leaf_score) {}

    // Whether there is a derivation of that rank, counted from 0; ranks are to be asked for in order.
    bool has(int rank) { return score(chart_.goal(), rank) != MaxSemiring::zero; }

    // leaf(item, rank) hears of every leaf of the derivation and which of its alternatives was used.
    template <class Leaf>
    void walk(int rank, Leaf leaf) {
        std::vector<std::pair<int, int>> stack{{chart_.goal(), rank}};
        while (!stack.empty()) {
            const auto [item, item_rank] = stack.back();
            stack.pop_back();
            const Equation e = chart_.equation(item);
            if (e.count == 0) {
                leaf(item, item_rank);
                continue;
            }
            const Way way = rank_item(e).best[item_rank];
            stack.push_back({e.left + way.k, way.left_rank});
            stack.push_back({e.right + way.k, way.right_rank});
        }
    }

private:
    struct Way {
        double score;
        int k, left_rank, right_rank;
        // Of equal scores the earlier way first, so that the order is always the same.
        bool operator<(const Way& other) const {
            if (score != other.score) return score < other.score;
            if (k != other.k) return k > other.k;
            if (left_rank != other.left_rank) return left_rank > other.left_rank;
            return right_rank > other.right_rank;
        }
    };
    struct Ranked {
        Equation equation;
        std::vector<Way> best;        // in order
        std::vector<Way> candidates;  // a heap
        bool successors_due = false;  // those of best.back() are not yet among the candidates
    };

    double score(int item, int rank) {
        const Equation e = chart_.equation(item);
        if (e.count == 0) return leaf_score_(item, rank);
        if (rank == 0) return inside_[item];
        Ranked& ranked = rank_item(e);
        while (static_cast<int>(ranked.best.size()) <= rank)
            if (!next(ranked)) return MaxSemiring::zero;
        return ranked.best[rank].score;
    }

    Ranked& rank_item(const Equation& e) {
        auto [place, is_new] = ranked_.try_emplace(e.item);
        Ranked& ranked = place->second;  // references into an unordered_map stay good
        if (is_new) {
            ranked.equation = e;
            for (int k = 0; k < e.count; ++k) {
                const double value = inside_[e.left + k] + inside_[e.right + k];
                if (value != MaxSemiring::zero) ranked.candidates.push_back({value, k, 0, 0});
            }
            std::make_heap(ranked.candidates.begin(), ranked.candidates.end());
            next(ranked);
        }
        return ranked;
    }

    // Every pair of ranks is reached once: the right rank grows always, the left one only while the right is 0.
    bool next(Ranked& ranked) {
        Interruption::heed();
        if (ranked.successors_due) {
            const Way way = ranked.best.back();
            ranked.successors_due = false;
            add(ranked, way.k, way.left_rank, way.right_rank + 1);
            if (way.right_rank == 0) add(ranked, way.k, way.left_rank + 1, 0);
        }
        if (ranked.candidates.empty()) return false;
        std::pop_heap(ranked.candidates.begin(), ranked.candidates.end());
        ranked.best.push_back(ranked.candidates.back());
        ranked.candidates.pop_back();
        ranked.successors_due = true;
        return true;
    }

    void add(Ranked& ranked, int k, int left_rank, int right_rank) {
        const double left = score(ranked.equation.left + k, left_rank);
        if (left == MaxSemiring::zero) return;
        const double right = score(ranked.equation.right + k, right_rank);
        if (right == MaxSemiring::zero) return;
        ranked.candidates.push_back({left + right, k, left_rank, right_rank});
        std::push_heap(ranked.candidates.begin(), ranked.candidates.end());
    }

    const C& chart_;
    const double* inside_;
    LeafScore leaf_score_;
    std::unordered_map<int, Ranked> ranked_;
};

}  // namespace arbora
