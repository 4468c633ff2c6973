#include "parsing/pruner.hpp"

#include <algorithm>

namespace arbora {

Pruner::Pruner(const Templates& templates, double threshold, int most)
    : features_(templates.of(Section::pruner)),
      active_(!templates.of(Section::pruner).empty()),
      threshold_(threshold),
      most_(most) {}

std::vector<Arc> Pruner::choose(const Prepared& sentence, ShortWeights weights, Given given, TreeKind kind,
                                const int* also) const {
    const int n = sentence.n(), width = n + 1;
    const auto cell = [width](int h, int m) { return static_cast<std::size_t>(h) * width + m; };
    std::vector<Arc> arcs;
    if (!is_active()) {
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m && given.allows(h, m)) arcs.push_back({h, m});
        return arcs;
    }
    thread_local std::vector<float> coarse;
    thread_local std::vector<double> scores, probabilities;
    thread_local std::vector<int> best, order;
    coarse.resize(static_cast<std::size_t>(width) * width);
    features_.score(sentence, weights, coarse.data());
    scores.assign(coarse.begin(), coarse.end());
    for (int m = 1; m <= n; ++m)
        for (int h = 0; h <= n; ++h)
            if (!given.allows(h, m)) scores[cell(h, m)] = impossible;
    probabilities.resize(scores.size());
    find_marginals({scores.data(), n, 0}, kind, false, probabilities.data());
    best.resize(width);
    for (std::size_t c = 0; c < scores.size(); ++c) scores[c] = scores[c] == impossible ? impossible : probabilities[c];
    TreeRef tree{best.data(), nullptr, 0};
    find_best({scores.data(), n, 0}, kind, tree);
    for (int m = 1; m <= n; ++m) {
        double top = 0;
        for (int h = 0; h <= n; ++h)
            if (h != m) top = std::max(top, probabilities[cell(h, m)]);
        order.clear();
        for (int h = 0; h <= n; ++h)
            if (h != m && scores[cell(h, m)] != impossible && probabilities[cell(h, m)] >= threshold_ * top)
                order.push_back(h);
        if (static_cast<int>(order.size()) > most_) {
            std::nth_element(order.begin(), order.begin() + most_, order.end(), [&](int a, int b) {
                const double p = probabilities[cell(a, m)], q = probabilities[cell(b, m)];
                return p != q ? p > q : a < b;
            });
            order.resize(most_);
        }
        for (int keep : {best[m], also ? also[m] : best[m]})
            if (std::find(order.begin(), order.end(), keep) == order.end()) order.push_back(keep);
        std::sort(order.begin(), order.end());
        for (int h : order) arcs.push_back({h, m});
    }
    return arcs;
}

}  // namespace arbora
