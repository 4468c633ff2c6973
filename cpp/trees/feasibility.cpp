#include "trees/feasibility.hpp"

#include <algorithm>

namespace arbora {
namespace {

bool has_arc(ArcScores scores, int head, int modifier) {
    return head != modifier && scores(head, modifier) != impossible;
}

// Marks what can be reached from `start` over arcs between tokens; the order of marking is appended to `order`.
void reach(ArcScores scores, int start, bool backwards, std::vector<char>& seen, std::vector<int>* order = nullptr) {
    std::vector<int> stack{start};
    seen[start] = 1;
    while (!stack.empty()) {
        const int v = stack.back();
        stack.pop_back();
        if (order) order->push_back(v);
        for (int u = 1; u <= scores.n; ++u)
            if (!seen[u] && (backwards ? has_arc(scores, u, v) : has_arc(scores, v, u))) {
                seen[u] = 1;
                stack.push_back(u);
            }
    }
}

// One token from each group of tokens that nothing but the root can reach from outside the group.
std::vector<int> sources(ArcScores scores) {
    // Start searches from each token not yet reached; a start that a later start reaches is no source.
    std::vector<int> starts;
    std::vector<char> seen(scores.width(), 0);
    for (int v = 1; v <= scores.n; ++v)
        if (!seen[v]) {
            std::vector<char> reached(scores.width(), 0);
            reach(scores, v, false, reached);
            std::erase_if(starts, [&](int s) { return reached[s]; });
            starts.push_back(v);
            for (int u = 1; u <= scores.n; ++u) seen[u] |= reached[u];
        }
    return starts;
}

// The reason where every token has a possible head.
std::string explain_together(ArcScores scores, bool single_root) {
    std::vector<char> seen(scores.width(), 0);
    reach(scores, 0, false, seen);
    std::vector<int> cut_off;
    for (int v = 1; v <= scores.n; ++v)
        if (!seen[v]) cut_off.push_back(v);
    if (!cut_off.empty()) {
        // A cycle of forced arcs is the usual reason; name its core, not all that hangs below it.
        std::vector<char> core(scores.width(), 0);
        int v = cut_off[0];
        for (int step = 0; step <= scores.n; ++step)
            for (int u : cut_off)
                if (has_arc(scores, u, v)) {
                    v = u;
                    break;
                }
        std::vector<char> above(scores.width(), 0);
        reach(scores, v, true, above);
        std::vector<int> group;
        for (int u : cut_off)
            if (above[u]) group.push_back(u);
        return "tokens " + list_tokens(group) +
               " can only be headed by each other, so they form a cycle that the "
               "root does not reach";
    }
    if (!single_root) return "no tree";
    const auto starts = sources(scores);
    if (starts.size() > 1)
        return "tokens " + list_tokens(starts) + " must each hang from the root, and a single root allows only one";
    std::vector<char> candidates(scores.width(), 0);
    reach(scores, starts[0], true, candidates);
    std::vector<int> group;
    for (int v = 1; v <= scores.n; ++v)
        if (candidates[v]) group.push_back(v);
    return "the single root must be one of the tokens " + list_tokens(group) + ", but no root arc to them is possible";
}

}  // namespace

std::vector<char> root_candidates(ArcScores scores) {
    const auto starts = sources(scores);
    if (starts.size() != 1) return {};
    std::vector<char> candidates(scores.width(), 0);
    reach(scores, starts[0], true, candidates);
    for (int v = 1; v <= scores.n; ++v)
        if (candidates[v] && has_arc(scores, 0, v)) return candidates;
    return {};
}

bool all_reachable(ArcScores scores) {
    std::vector<char> seen(scores.width(), 0);
    reach(scores, 0, false, seen);
    return std::count(seen.begin(), seen.end(), 1) == scores.width();
}

std::string list_tokens(const std::vector<int>& tokens) {
    std::string text;
    const std::size_t shown = std::min<std::size_t>(tokens.size(), 10);
    for (std::size_t i = 0; i < shown; ++i) {
        if (i) text += i + 1 == tokens.size() ? " and " : ", ";
        text += std::to_string(tokens[i]);
    }
    if (shown < tokens.size()) text += " and " + std::to_string(tokens.size() - shown) + " more";
    return text;
}

void throw_infeasible(ArcScores scores, bool single_root) {
    for (int v = 1; v <= scores.n; ++v) {
        bool any = false;
        for (int u = 0; u <= scores.n && !any; ++u) any = has_arc(scores, u, v);
        if (!any) throw InfeasibleToken(v, "token " + std::to_string(v) + " has no possible head");
    }
    throw Infeasible(explain_together(scores, single_root));
}

}  // namespace arbora
