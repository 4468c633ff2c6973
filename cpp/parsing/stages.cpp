#include "parsing/stages.hpp"

namespace arbora {

Given Implied::add_to(Given given, const Scorer& scorer, int n) {
    heads.assign(n + 1, -1);
    not_root.assign(n + 1, 0);
    for (int m = 1; m <= n; ++m) {
        const int label = given.labels[m];
        heads[m] = given.heads ? given.heads[m] : -1;
        not_root[m] = given.not_root && given.not_root[m];
        if (heads[m] >= 0 || label < 0) continue;
        if (!not_root[m] && !scorer.may_have_label(1, label)) heads[m] = 0;
        if (!scorer.may_have_label(0, label)) not_root[m] = 1;
    }
    given.heads = heads.data();
    given.not_root = not_root.data();
    return given;
}

LabelChain shorten(LabelChain chain, std::vector<double>& unary) {
    if (chain.count != 1 || !chain.siblings) return chain;
    unary.assign(chain.unary, chain.unary + chain.labels);
    for (int l = 0; l < chain.labels; ++l)
        unary[l] += chain.sibling_at(chain.labels, l) + chain.sibling_at(l, chain.labels);
    return {unary.data(), nullptr, 1, chain.labels};
}

}  // namespace arbora
