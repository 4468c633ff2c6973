#include "parsing/array_loss.hpp"

namespace arbora {
namespace {

// The gold tree must be one of those that count.
void check_kind(const int* heads, int n, TreeKind kind) {
    const std::size_t width = n + 1;
    std::vector<double> table(width * width, impossible);
    for (int m = 1; m <= n; ++m)
        for (int h = 0; h <= n; ++h)
            if (h != m && (heads[m] < 0 || heads[m] == h)) table[h * width + m] = 0;
    std::vector<int> found(width);
    TreeRef tree{found.data(), nullptr, 0};
    try {
        find_best({table.data(), n, 0}, kind, tree);
    } catch (const Infeasible&) {
        throw Infeasible("what shall be right is no tree of the kind that counts");
    }
}

}  // namespace

double differentiate(const ArrayScorer& scorer, std::size_t sentence, GoldTree gold, const LossOptions& options,
                     const ScoreArrays<double>& gradient) {
    const int n = scorer.length(sentence);
    if (n == 0) return 0;
    check_kind(gold.heads, n, options.kind);
    std::vector<int> places;
    gold.tags = scorer.check_gold(sentence, gold, places);
    const ScoreKinds kinds = scorer.kinds();
    const auto own = scorer.begin(sentence, gradient);
    const std::vector<Arc> arcs = own->choose({}, options.kind, gold.heads);
    std::vector<int> completed;
    const double loss = differentiate_trees(kinds, *own, n, arcs, gold, options, &completed);
    const int* whole = completed.empty() ? gold.heads : completed.data();
    return loss + differentiate_labels(kinds, *own, n, gold, whole, options.family);
}

}  // namespace arbora
