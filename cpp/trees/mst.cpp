#include "trees/mst.hpp"

#include <algorithm>
#include <cstdint>

#include "support/vectorise.hpp"
#include "trees/contraction.hpp"
#include "trees/feasibility.hpp"

namespace arbora {
namespace {

// Every token's best head, row by row so that the inner loop runs along memory.
ARBORA_VECTORISED void greedy_heads(const double* scores, int n, double* __restrict best, double* __restrict head) {
    const int width = n + 1;
    for (int m = 0; m < width; ++m) best[m] = impossible, head[m] = 0;
    for (int h = 0; h < width; ++h) {
        const double* row = scores + static_cast<std::size_t>(h) * width;
        const double self_best = best[h], self_head = head[h];
        const double number = h;
        ARBORA_INDEPENDENT
        for (int m = 0; m < width; ++m) {
            const bool better = row[m] > best[m];
            best[m] = better ? row[m] : best[m];
            head[m] = better ? number : head[m];
        }
        best[h] = self_best, head[h] = self_head;  // the diagonal is no arc
    }
}

// Whether the heads form a tree from the root, with one root arc if so wanted. Marks each token with the walk that
// first met it; meeting one's own mark closes a cycle.
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

}  // namespace

ARBORA_VECTORISED ScoreCheck check_scores(const double* scores, std::size_t count) {
    // x - x is 0 for a number and nan for nan and both infinities; min and max tell the infinities apart.
    std::uint64_t bad = 0, low = 0;
    for (std::size_t i = 0; i < count; ++i) {
        bad |= static_cast<std::uint64_t>(!(scores[i] < INFINITY));
        low |= static_cast<std::uint64_t>(scores[i] == -INFINITY);
    }
    return {!bad, low != 0};
}

void best_tree(ArcScores scores, bool single_root, int* heads) {
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
    if (!headless && is_tree(heads, n, single_root, mark.data())) return;
    thread_local Contraction contraction;
    if (headless || !contraction.solve(scores, single_root, heads)) throw Infeasible(explain_infeasible(scores, single_root));
    std::copy(contraction.heads().begin(), contraction.heads().end(), heads);
}

}  // namespace arbora
