#include "parsing/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

ARBORA_VECTORISED double sum_of_exponentials(const double* scores, int count, double top) {
    Lanes total{};
    int l = 0;
    for (; l + lane_count <= count; l += lane_count) total += exp_bounded(load(scores + l) - top);
    if (l < count) total += exp_bounded(load_some(scores + l, count - l) - top);
    return sum_of_lanes(total);
}

}  // namespace

std::size_t Candidates::find(int head, int modifier) const {
    const auto before = [](const Arc& a, const Arc& b) {
        return a.modifier != b.modifier ? a.modifier < b.modifier : a.head < b.head;
    };
    const Arc arc{head, modifier};
    const auto found = std::lower_bound(arcs.begin(), arcs.end(), arc, before);
    return found != arcs.end() && *found == arc ? static_cast<std::size_t>(found - arcs.begin()) : arcs.size();
}

void collapse(const Candidates& candidates, Collapse how, std::vector<double>& arcs) {
    if (!candidates.labels) {
        arcs = candidates.scores;
        return;
    }
    arcs.resize(candidates.arcs.size());
    for (std::size_t a = 0; a < arcs.size(); ++a) {
        const double* row = candidates.scores.data() + a * candidates.labels;
        const double top = *std::max_element(row, row + candidates.labels);
        arcs[a] = top;
        if (how == Collapse::best || top == impossible) continue;
        arcs[a] = top + std::log(sum_of_exponentials(row, candidates.labels, top));
    }
}

void fill_table(const Candidates& candidates, const std::vector<double>& arcs, std::vector<double>& table) {
    table.assign(static_cast<std::size_t>(candidates.n + 1) * (candidates.n + 1), impossible);
    for (std::size_t a = 0; a < arcs.size(); ++a) table[candidates.cell(a)] = arcs[a];
}

namespace {

// The heads of the best tree that has those that are known.
const int* complete(const std::vector<double>& scores, int n, TreeKind kind, const int* known) {
    if (!known || std::none_of(known + 1, known + n + 1, [](int head) { return head < 0; })) return known;
    thread_local std::vector<double> own;
    thread_local std::vector<int> heads;
    own = scores;
    for (int m = 1; m <= n; ++m)
        for (int h = 0; h <= n; ++h)
            if (known[m] >= 0 && h != known[m]) own[static_cast<std::size_t>(h) * (n + 1) + m] = impossible;
    heads.resize(n + 1);
    TreeRef tree{heads.data(), nullptr, 0};
    find_best({own.data(), n, 0}, kind, tree);
    return heads.data();
}

}  // namespace

std::vector<Arc> prune(std::vector<double>& scores, int n, TreeKind kind, double threshold, int most, const int* also) {
    const auto cell = [width = n + 1](int h, int m) { return static_cast<std::size_t>(h) * width + m; };
    thread_local std::vector<double> probabilities;
    thread_local std::vector<int> best, order;
    probabilities.resize(scores.size());
    also = complete(scores, n, kind, also);
    find_marginals({scores.data(), n, 0}, kind, false, probabilities.data());
    best.resize(n + 1);
    for (std::size_t c = 0; c < scores.size(); ++c) scores[c] = scores[c] == impossible ? impossible : probabilities[c];
    TreeRef tree{best.data(), nullptr, 0};
    find_best({scores.data(), n, 0}, kind, tree);
    std::vector<Arc> arcs;
    for (int m = 1; m <= n; ++m) {
        double top = 0;
        for (int h = 0; h <= n; ++h)
            if (h != m) top = std::max(top, probabilities[cell(h, m)]);
        order.clear();
        for (int h = 0; h <= n; ++h)
            if (h != m && scores[cell(h, m)] != impossible && probabilities[cell(h, m)] >= threshold * top)
                order.push_back(h);
        if (static_cast<int>(order.size()) > most) {
            std::nth_element(order.begin(), order.begin() + most, order.end(), [&](int a, int b) {
                const double p = probabilities[cell(a, m)], q = probabilities[cell(b, m)];
                return p != q ? p > q : a < b;
            });
            order.resize(most);
        }
        for (int keep : {best[m], also ? also[m] : best[m]})
            if (std::find(order.begin(), order.end(), keep) == order.end()) order.push_back(keep);
        std::sort(order.begin(), order.end());
        for (int h : order) arcs.push_back({h, m});
    }
    return arcs;
}

}  // namespace arbora
