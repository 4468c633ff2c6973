#include "trees/mst.hpp"

#include <algorithm>
#include <cstdint>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"
#include "trees/contraction.hpp"
#include "trees/feasibility.hpp"

namespace arbora {
namespace {

// The best heads of four tokens, from column `first` on; the first head of the highest score. The heads' numbers are
// kept as doubles so that they go through the same vectors.
ARBORA_INLINE void greedy_block(const double* scores, int width, int first, double* best, double* head) {
    Lanes block_best = all_lanes(impossible), block_head{};
    const double* column = scores + first;
    auto take = [&](int h, Lanes row) {
        const LaneBits better = row > block_best;
        block_best = better ? row : block_best;
        block_head = better ? all_lanes(h) : block_head;
    };
    auto row = [=](int h) { return load(column + static_cast<std::size_t>(h) * width); };
    for (int h = 0; h < first; ++h) take(h, row(h));
    for (int l = 0; l < lane_count; ++l) {
        Lanes own = row(first + l);
        own[l] = impossible;  // the diagonal is no arc
        take(first + l, own);
    }
    for (int h = first + lane_count; h < width; ++h) take(h, row(h));
    store(best + first, block_best);
    store(head + first, block_head);
}

ARBORA_VECTORISED void greedy_heads(const double* scores, int n, double* best, double* head) {
    const int width = n + 1;
    if (width < lane_count) {
        for (int m = 0; m < width; ++m) {
            best[m] = impossible, head[m] = 0;
            for (int h = 0; h < width; ++h)
                if (h != m && scores[h * width + m] > best[m]) best[m] = scores[h * width + m], head[m] = h;
        }
        return;
    }
    for (int m = 0; m + lane_count <= width; m += lane_count) greedy_block(scores, width, m, best, head);
    if (width % lane_count) greedy_block(scores, width, width - lane_count, best, head);
}

}  // namespace

// Marks each token with the walk that first met it; meeting one's own mark closes a cycle.
bool is_tree(const int* heads, int n, bool single_root, int* mark) {
    int roots = 0;
    for (int m = 0; m <= n; ++m) mark[m] = 0;
    for (int m = 1; m <= n; ++m) {
        roots += heads[m] == 0;
        int v = m;
        while (v && !mark[v]) mark[v] = m, v = heads[v];
        if (v && mark[v] == m) return false;
    }
    return !single_root || roots == 1 || n == 0;
}

ARBORA_VECTORISED ScoreRange find_range(const double* scores, std::size_t count) {
    Lanes low = all_lanes(INFINITY), high = all_lanes(impossible);
    LaneBits numbers = low == low;
    std::size_t i = 0;
    for (; i + lane_count <= count; i += lane_count) {
        const Lanes x = load(scores + i);
        low = x < low ? x : low;
        high = larger(x, high);
        numbers &= x == x;
    }
    bool all_numbers = numbers[0] && numbers[1] && numbers[2] && numbers[3];
    double lowest = -largest_lane(-low), highest = largest_lane(high);
    for (; i < count; ++i) {
        lowest = std::min(lowest, scores[i]);
        highest = std::max(highest, scores[i]);
        all_numbers &= scores[i] == scores[i];
    }
    return {all_numbers ? lowest : NAN, highest};
}

ScoreRange check_scores(const double* scores, std::size_t count) {
    const ScoreRange range = find_range(scores, count);
    if (std::isnan(range.lowest) || range.highest == INFINITY)
        throw InvalidScores("the scores contain nan or +inf; use -inf to forbid an arc");
    return range;
}

bool find_best_tree(ArcScores scores, bool single_root, int* heads) {
    const int n = scores.n;
    thread_local std::vector<double> best, head;
    thread_local std::vector<int> mark;
    best.resize(n + 1), head.resize(n + 1), mark.resize(n + 1);
    greedy_heads(scores.data, n, best.data(), head.data());
    bool headless = false;
    for (int m = 1; m <= n; ++m) {
        heads[m] = static_cast<int>(head[m]);
        headless |= best[m] == impossible;
    }
    heads[0] = -1;
    if (!headless && is_tree(heads, n, single_root, mark.data())) return true;
    thread_local Contraction contraction;
    if (headless || !contraction.solve(scores, single_root, heads)) return false;
    std::copy(contraction.heads().begin(), contraction.heads().end(), heads);
    return true;
}

void best_tree(ArcScores scores, bool single_root, int* heads) {
    if (!find_best_tree(scores, single_root, heads)) throw_infeasible(scores, single_root);
}

}  // namespace arbora
