// What the best tree and the k best have in common: what given labels imply, and labels that follow the tree.
#pragma once
#include <vector>

#include "parsing/scorer.hpp"

namespace arbora {

// Labels that are seen at the root only, or never there, say something about the head.
struct Implied {
    std::vector<int> heads;
    std::vector<char> not_root;

    Given add_to(Given given, const Scorer& scorer, int n);
};

// run(given) with what the labels imply; if no tree goes with that, without: only what is given binds.
template <class Run>
auto with_implied(Given given, const Scorer& scorer, int n, Run run) {
    if (!given.labels) return run(given);
    Implied implied;
    try {
        return run(implied.add_to(given, scorer, n));
    } catch (const Infeasible&) {
        return run(given);
    }
}

// A chain of one modifier without siblings, which is quicker: its scores have the start and the end instead, and are kept
// in `unary`. Other chains stay as they are.
LabelChain shorten(LabelChain chain, std::vector<double>& unary);

}  // namespace arbora
