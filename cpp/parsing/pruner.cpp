#include "parsing/pruner.hpp"

namespace arbora {

Pruner::Pruner(const Templates& templates, double threshold, int most)
    : features_(templates.of(Section::pruner)),
      active_(!templates.of(Section::pruner).empty()),
      threshold_(threshold),
      most_(most) {}

std::vector<Arc> Pruner::choose(const Prepared& sentence, ShortWeights weights, Given given, TreeKind kind,
                                const int* also) const {
    const int n = sentence.n(), width = n + 1;
    if (!is_active()) {
        std::vector<Arc> arcs;
        for (int m = 1; m <= n; ++m)
            for (int h = 0; h <= n; ++h)
                if (h != m && given.allows(h, m)) arcs.push_back({h, m});
        return arcs;
    }
    thread_local std::vector<float> coarse;
    thread_local std::vector<double> scores;
    coarse.resize(static_cast<std::size_t>(width) * width);
    features_.score(sentence, weights, coarse.data());
    scores.assign(coarse.begin(), coarse.end());
    for (int m = 1; m <= n; ++m)
        for (int h = 0; h <= n; ++h)
            if (!given.allows(h, m)) scores[static_cast<std::size_t>(h) * width + m] = impossible;
    return prune(scores, n, kind, threshold_, most_, also);
}

}  // namespace arbora
