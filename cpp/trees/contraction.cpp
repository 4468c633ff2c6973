#include "trees/contraction.hpp"

#include <algorithm>

#include "support/vectorise.hpp"

namespace arbora {
namespace {

constexpr int unseen = -1;
constexpr int done = -2;

// The largest value and, of those that attain it, the first index: two passes, both of which vectorise.
ARBORA_VECTORISED int argmax(const double* values, int begin, int end) {
    double lanes[4] = {impossible, impossible, impossible, impossible};
    int i = begin;
    for (; i + 4 <= end; i += 4)
        for (int l = 0; l < 4; ++l) lanes[l] = values[i + l] > lanes[l] ? values[i + l] : lanes[l];
    double best = std::max(std::max(lanes[0], lanes[1]), std::max(lanes[2], lanes[3]));
    for (; i < end; ++i) best = values[i] > best ? values[i] : best;
    for (i = begin; i < end; ++i)
        if (values[i] == best) return i;
    return begin;
}

// into[u] = max(into[u], from[u] - paid), and where the arc enters.
ARBORA_VECTORISED void merge(double* __restrict into, int* __restrict into_entry, const double* __restrict from,
                             const int* __restrict from_entry, double paid, int count) {
    ARBORA_INDEPENDENT
    for (int u = 0; u < count; ++u) {
        const double value = from[u] - paid;
        const bool better = value > into[u];
        into[u] = better ? value : into[u];
        into_entry[u] = better ? from_entry[u] : into_entry[u];
    }
}

// The same for a single token, which is where all its arcs enter.
ARBORA_VECTORISED void merge_token(double* __restrict into, int* __restrict into_entry, const double* __restrict from,
                                   int token, double paid, int count) {
    ARBORA_INDEPENDENT
    for (int u = 0; u < count; ++u) {
        const double value = from[u] - paid;
        const bool better = value > into[u];
        into[u] = better ? value : into[u];
        into_entry[u] = better ? token : into_entry[u];
    }
}

// Columns of a table as rows, in blocks that fit into the first cache.
void transpose(const double* from, double* to, int width) {
    constexpr int block = 16;
    for (int v0 = 0; v0 < width; v0 += block)
        for (int u0 = 0; u0 < width; u0 += block)
            for (int v = v0; v < std::min(v0 + block, width); ++v)
                for (int u = u0; u < std::min(u0 + block, width); ++u)
                    to[static_cast<std::size_t>(v) * width + u] = from[static_cast<std::size_t>(u) * width + v];
}

}  // namespace

void Contraction::load(ArcScores scores) {
    n_ = scores.n;
    stride_ = n_ + 1;
    node_count_ = n_ + 1;
    const std::size_t nodes = 2 * static_cast<std::size_t>(n_) + 1;
    incoming_.resize(nodes * stride_);
    entry_.resize(nodes * stride_);
    parent_.assign(nodes, 0);
    arc_.resize(nodes);
    chosen_.resize(nodes);
    place_.assign(nodes, unseen);
    top_.resize(stride_);
    members_.clear();
    members_end_.clear();
    next_token_.assign(stride_, 0);
    first_token_.resize(nodes);
    last_token_.resize(nodes);
    heads_.assign(stride_, -1);
    transpose(scores.data, incoming_.data(), stride_);
    for (int v = 1; v <= n_; ++v) {
        incoming(v)[v] = impossible;
        top_[v] = first_token_[v] = last_token_[v] = v;
    }
    place_[0] = done;
    top_[0] = 0;
}

bool Contraction::solve(ArcScores scores, bool single_root, const int* greedy) {
    single_root_ = single_root;
    root_taken_ = false;
    load(scores);
    for (int v = 1; v <= n_; ++v)
        if (place_[top_[v]] == unseen && !grow_from(v, greedy)) return false;
    expand();
    return true;
}

// Follows best incoming arcs upwards from a token, contracting each cycle it closes, until it reaches something
// that already hangs from the root.
bool Contraction::grow_from(int token, const int* greedy) {
    path_.assign(1, token);
    place_[token] = 0;
    for (;;) {
        const int node = path_.back();
        const bool known = greedy && node <= n_ && !(single_root_ && greedy[node] == 0);
        const int source = known ? greedy[node] : best_source(node);
        if (source < 0) return false;
        arc_[node] = {source, node <= n_ ? node : entry(node)[source]};
        chosen_[node] = incoming(node)[source];
        const int above = top_[source];
        if (place_[above] == done) break;
        if (place_[above] == unseen) {
            place_[above] = static_cast<int>(path_.size());
            path_.push_back(above);
        } else {
            const int cycle = contract(place_[above]);
            place_[cycle] = static_cast<int>(path_.size());
            path_.push_back(cycle);
        }
    }
    for (int node : path_) place_[node] = done;
    return true;
}

// The token from which the best arc enters the node, or -1 if there is none (or none that a single root allows).
int Contraction::best_source(int node) {
    const double* scores = incoming(node);
    const int source = argmax(scores, single_root_ ? 1 : 0, n_ + 1);
    if (scores[source] != impossible) return source;
    if (!single_root_ || root_taken_ || scores[0] == impossible) return -1;
    root_taken_ = true;
    return 0;
}

// Makes one node of the cycle path_[start..] and takes it off the path.
int Contraction::contract(std::size_t start) {
    const int cycle = node_count_++;
    double* scores = incoming(cycle);
    int* entries = entry(cycle);
    std::fill_n(scores, stride_, impossible);
    std::fill_n(entries, stride_, 0);
    int last = 0;
    for (std::size_t place = start; place < path_.size(); ++place) {
        const int member = path_[place];
        members_.push_back(member);
        parent_[member] = cycle;
        place_[member] = done;
        if (member <= n_)
            merge_token(scores, entries, incoming(member), member, chosen_[member], stride_);
        else
            merge(scores, entries, incoming(member), entry(member), chosen_[member], stride_);
        (last ? next_token_[last] : first_token_[cycle]) = first_token_[member];
        last = last_token_[member];
    }
    last_token_[cycle] = last;
    members_end_.push_back(static_cast<int>(members_.size()));
    path_.resize(start);
    for (int u = first_token_[cycle]; u; u = next_token_[u]) {
        top_[u] = cycle;
        scores[u] = impossible;
    }
    return cycle;
}

// From the last contraction to the first: the arc that enters a cycle replaces the cycle's own arc into the member
// that it enters.
void Contraction::expand() {
    for (int cycle = node_count_ - 1; cycle > n_; --cycle) {
        int member = arc_[cycle].modifier;
        while (parent_[member] != cycle) member = parent_[member];
        arc_[member] = arc_[cycle];
    }
    for (int v = 1; v <= n_; ++v) heads_[v] = arc_[v].head;
}

// ---- what else the tree could have been ----

Contraction::Swap Contraction::best_swap() {
    number_tree();
    Swap best{0, INFINITY};
    // An arc of the tree enters a chain of nodes: its modifier, the cycle around that, and so on outwards. At each
    // of them another arc could enter instead, from anything that the modifier does not dominate.
    for (int v = 1; v <= n_; ++v) {
        const int source = heads_[v];
        double other_entry = impossible;  // from the same source into another token of the node
        for (int node = v, below = 0;; below = node, node = parent_[node]) {
            if (below) other_entry = best_other_entry(node, below, source, other_entry);
            const double other = std::max(other_entry, best_other_source(node, v, source));
            const double loss = incoming(node)[source] - other;
            if (other != impossible && loss < best.loss) best = {v, loss};
            const int outer = parent_[node];
            if (!outer || arc_[outer].modifier != v) break;
        }
    }
    return best;
}

// Preorder numbers, so that "u is below v" is two comparisons.
void Contraction::number_tree() {
    first_.assign(stride_, 0);
    last_.assign(stride_, 0);
    std::vector<int> size(stride_, 1), order, children_start(stride_ + 1, 0), children(stride_);
    for (int v = 1; v <= n_; ++v) ++children_start[heads_[v] + 1];
    for (int v = 0; v <= n_; ++v) children_start[v + 1] += children_start[v];
    std::vector<int> fill(children_start.begin(), children_start.end() - 1);
    for (int v = 1; v <= n_; ++v) children[fill[heads_[v]]++] = v;
    std::vector<int> stack{0};
    order.reserve(stride_);
    while (!stack.empty()) {
        const int v = stack.back();
        stack.pop_back();
        first_[v] = static_cast<int>(order.size());
        order.push_back(v);
        for (int c = children_start[v]; c < children_start[v + 1]; ++c) stack.push_back(children[c]);
    }
    for (int i = n_; i >= 1; --i) size[heads_[order[i]]] += size[order[i]];
    for (int v = 0; v <= n_; ++v) last_[v] = first_[v] + size[v];
}

double Contraction::best_other_source(int node, int modifier, int source) {
    const double* scores = incoming(node);
    const int low = first_[modifier], high = last_[modifier];
    double best = impossible;
    for (int u = single_root_ ? 1 : 0; u <= n_; ++u) {
        const bool allowed = (first_[u] < low || first_[u] >= high) && u != source;
        best = allowed && scores[u] > best ? scores[u] : best;
    }
    return best;
}

// The best arc from the same source into the node at another token: contraction kept only the best one.
double Contraction::best_other_entry(int node, int below, int source, double other_below) {
    double best = other_below - chosen_[below];
    for (int member : members(node))
        if (member != below) best = std::max(best, incoming(member)[source] - chosen_[member]);
    return best;
}

}  // namespace arbora
