#include "trees/contraction.hpp"

#include <algorithm>

#include "support/lanes.hpp"
#include "support/vectorise.hpp"

namespace arbora {
namespace {

constexpr int unseen = -1;
constexpr int done = -2;
constexpr int entered = -3;

// The first index of the largest value in [begin, count); count is a multiple of four.
ARBORA_VECTORISED int argmax(const double* values, int begin, int count) {
    Lanes best = load(values);
    if (begin == 1) best[0] = impossible;
    for (int i = lane_count; i < count; i += lane_count) best = larger(load(values + i), best);
    const double largest = largest_lane(best);
    int i = begin;
    while (i + 1 < count && values[i] != largest) ++i;
    return i;
}

// The incoming arcs of a contracted cycle: from each token the best of its members', less what the member's own arc
// on the cycle scores, and where that one enters. Tokens of the cycle come to it and send it nothing.
ARBORA_VECTORISED void merge(std::span<const CycleMember> members, int cycle, int count, double* __restrict top,
                             double* __restrict incoming, double* __restrict entry) {
    const Lanes number = all_lanes(cycle), nothing = all_lanes(impossible);
    for (int u = 0; u < count; u += lane_count) {
        Lanes best = nothing, best_entry{};
        const Lanes tops = load(top + u);
        LaneBits own{};
        for (const CycleMember& member : members) {
            const Lanes value = load(member.incoming + u) - member.paid;
            const Lanes entries = member.entry ? load(member.entry + u) : all_lanes(member.node);
            const LaneBits better = value > best;
            best = better ? value : best;
            best_entry = better ? entries : best_entry;
            own |= tops == member.node;
        }
        store(incoming + u, own ? nothing : best);
        store(entry + u, best_entry);
        store(top + u, own ? number : tops);
    }
}

// Columns of an n x n table as rows of another length, four by four.
ARBORA_VECTORISED void transpose(const double* from, int n, double* to, std::size_t to_length) {
    const std::size_t length = n;
    int u = 0;
    for (; u + lane_count <= n; u += lane_count) {
        int v = 0;
        for (; v + lane_count <= n; v += lane_count) {
            const double* corner = from + u * length + v;
            const Lanes a = load(corner), b = load(corner + length);
            const Lanes c = load(corner + 2 * length), d = load(corner + 3 * length);
            double* out = to + v * to_length + u;
            store(out, Lanes{a[0], b[0], c[0], d[0]});
            store(out + to_length, Lanes{a[1], b[1], c[1], d[1]});
            store(out + 2 * to_length, Lanes{a[2], b[2], c[2], d[2]});
            store(out + 3 * to_length, Lanes{a[3], b[3], c[3], d[3]});
        }
        for (; v < n; ++v)
            for (int l = 0; l < lane_count; ++l) to[v * to_length + u + l] = from[(u + l) * length + v];
    }
    for (; u < n; ++u)
        for (int v = 0; v < n; ++v) to[v * to_length + u] = from[u * length + v];
}

}  // namespace

void Contraction::load(ArcScores scores) {
    n_ = scores.n;
    const int width = n_ + 1;
    stride_ = (width + lane_count - 1) / lane_count * lane_count;
    node_count_ = width;
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
    heads_.assign(width, -1);
    transpose(scores.data, width, incoming_.data(), stride_);
    for (int v = 1; v <= n_; ++v) {
        incoming(v)[v] = impossible;
        for (int u = width; u < stride_; ++u) incoming(v)[u] = impossible;
    }
    for (int u = 0; u < stride_; ++u) top_[u] = u < width ? u : -1;
    place_[0] = done;
}

bool Contraction::solve(ArcScores scores, bool single_root, const int* greedy) {
    single_root_ = single_root;
    root_taken_ = false;
    load(scores);
    for (int v = 1; v <= n_; ++v)
        if (place_[static_cast<int>(top_[v])] == unseen && !grow_from(v, greedy)) return false;
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
        arc_[node] = {source, entry_token(node, source)};
        chosen_[node] = incoming(node)[source];
        const int above = static_cast<int>(top_[source]);
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
    const int source = argmax(scores, single_root_ ? 1 : 0, stride_);
    if (scores[source] != impossible) return source;
    if (!single_root_ || root_taken_ || scores[0] == impossible) return -1;
    root_taken_ = true;
    return 0;
}

// Makes one node of the cycle path_[start..] and takes it off the path.
int Contraction::contract(std::size_t start) {
    const int cycle = node_count_++;
    cycle_.clear();
    for (std::size_t place = start; place < path_.size(); ++place) {
        const int member = path_[place];
        members_.push_back(member);
        parent_[member] = cycle;
        place_[member] = done;
        cycle_.push_back(
            {static_cast<double>(member), chosen_[member], incoming(member), member <= n_ ? nullptr : entry(member)});
    }
    members_end_.push_back(static_cast<int>(members_.size()));
    path_.resize(start);
    merge(cycle_, cycle, stride_, top_.data(), incoming(cycle), entry(cycle));
    return cycle;
}

// From the last contraction to the first: the arc that enters a cycle replaces the cycle's own arcs into all that it
// enters on the way down to its modifier. Each node is entered so once at most: O(n).
void Contraction::expand() {
    for (int cycle = node_count_ - 1; cycle > n_; --cycle) {
        if (place_[cycle] == entered) continue;
        for (int node = arc_[cycle].modifier; node != cycle; node = parent_[node]) {
            arc_[node] = arc_[cycle];
            place_[node] = entered;
        }
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
    const int width = n_ + 1;
    first_.assign(width, 0);
    last_.assign(width, 0);
    std::vector<int> size(width, 1), order, children_start(width + 1, 0), children(width);
    for (int v = 1; v <= n_; ++v) ++children_start[heads_[v] + 1];
    for (int v = 0; v <= n_; ++v) children_start[v + 1] += children_start[v];
    std::vector<int> fill(children_start.begin(), children_start.end() - 1);
    for (int v = 1; v <= n_; ++v) children[fill[heads_[v]]++] = v;
    std::vector<int> stack{0};
    order.reserve(width);
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
