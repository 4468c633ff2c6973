#include "linear/label_chains.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "support/vectorise.hpp"

namespace arbora {
namespace {

// next[l] = max over p of (best[p] + siblings[p][l])
ARBORA_VECTORISED void step_best(const double* __restrict best, const double* __restrict siblings, int labels,
                                 double* __restrict next) {
    std::fill(next, next + labels, impossible);
    for (int p = 0; p < labels; ++p) {
        const double* row = siblings + static_cast<std::size_t>(p) * (labels + 1);
        const double from = best[p];
        for (int l = 0; l < labels; ++l) next[l] = std::max(next[l], from + row[l]);
    }
}

// next[l] = sum over p of from[p] * factors[p][l]
ARBORA_VECTORISED void step_sum(const double* __restrict from, const double* __restrict factors, int states, int labels,
                                double* __restrict next) {
    std::fill(next, next + labels, 0.0);
    for (int p = 0; p < labels; ++p) {
        const double* row = factors + static_cast<std::size_t>(p) * states;
        const double weight = from[p];
        for (int l = 0; l < labels; ++l) next[l] += weight * row[l];
    }
}

double log_sum(const std::vector<double>& terms) {
    const double top = *std::max_element(terms.begin(), terms.end());
    if (top == impossible) return impossible;
    double sum = 0;
    for (double term : terms) sum += std::exp(term - top);
    return top + std::log(sum);
}

// Whatever the scores: everything in logarithms.
double sum_chain_in_logs(const LabelChain& chain, double* probabilities, double* pairs) {
    const int labels = chain.labels, count = chain.count;
    std::vector<double> forward(static_cast<std::size_t>(count) * labels), backward(forward.size()), terms(labels);
    auto at = [labels](int i, int l) { return static_cast<std::size_t>(i) * labels + l; };
    for (int i = 0; i < count; ++i)
        for (int l = 0; l < labels; ++l) {
            for (int p = 0; p < labels; ++p) terms[p] = i ? forward[at(i - 1, p)] + chain.sibling_at(p, l) : impossible;
            if (i == 0) terms[0] = chain.sibling_at(labels, l);
            forward[at(i, l)] = chain.unary_at(i, l) + log_sum(terms);
        }
    for (int i = count - 1; i >= 0; --i)
        for (int l = 0; l < labels; ++l) {
            for (int s = 0; s < labels; ++s)
                terms[s] = i + 1 < count ? chain.sibling_at(l, s) + chain.unary_at(i + 1, s) + backward[at(i + 1, s)]
                                         : impossible;
            if (i + 1 == count) terms[0] = chain.sibling_at(l, labels);
            backward[at(i, l)] = log_sum(terms);
        }
    for (int l = 0; l < labels; ++l) terms[l] = forward[at(0, l)] + backward[at(0, l)];
    const double total = log_sum(terms);
    if (total == impossible) return impossible;
    for (int i = 0; i < count; ++i)
        for (int l = 0; l < labels; ++l)
            probabilities[at(i, l)] = std::exp(forward[at(i, l)] + backward[at(i, l)] - total);
    if (!pairs) return total;
    for (int l = 0; l < labels; ++l) {
        pairs[static_cast<std::size_t>(labels) * chain.states() + l] += probabilities[at(0, l)];
        pairs[static_cast<std::size_t>(l) * chain.states() + labels] += probabilities[at(count - 1, l)];
    }
    for (int i = 1; i < count; ++i)
        for (int p = 0; p < labels; ++p)
            for (int l = 0; l < labels; ++l)
                pairs[static_cast<std::size_t>(p) * chain.states() + l] += std::exp(
                    forward[at(i - 1, p)] + chain.sibling_at(p, l) + chain.unary_at(i, l) + backward[at(i, l)] - total);
    return total;
}

// No path's weight can underflow if its factors stay within exp(+-300) of the greatest.
constexpr double moderate_range = 300;

bool is_moderate(const LabelChain& chain) {
    double low = 0, high = 0;
    if (chain.siblings)
        for (int s = 0; s < chain.states() * chain.states() - 1; ++s) {
            low = std::min(low, chain.siblings[s]);
            high = std::max(high, chain.siblings[s]);
        }
    if (!(high - low < moderate_range)) return false;
    for (int i = 0; i < chain.count; ++i) {
        const double* row = chain.unary + static_cast<std::size_t>(i) * chain.labels;
        double least = -impossible, most = impossible;
        for (int l = 0; l < chain.labels; ++l)
            if (row[l] != impossible) {
                least = std::min(least, row[l]);
                most = std::max(most, row[l]);
            }
        if (most == impossible || !(most - least < moderate_range)) return false;
    }
    return true;
}

// Without sibling scores every modifier stands alone.
double sum_independent(const LabelChain& chain, double* probabilities) {
    double total = 0;
    for (int i = 0; i < chain.count; ++i) {
        const double* row = chain.unary + static_cast<std::size_t>(i) * chain.labels;
        double* to = probabilities + static_cast<std::size_t>(i) * chain.labels;
        const double top = *std::max_element(row, row + chain.labels);
        if (top == impossible) return impossible;
        double sum = 0;
        for (int l = 0; l < chain.labels; ++l) sum += to[l] = std::exp(row[l] - top);
        for (int l = 0; l < chain.labels; ++l) to[l] /= sum;
        total += top + std::log(sum);
    }
    return total;
}

}  // namespace

double chain_score(const LabelChain& chain, const int* labels) {
    if (chain.count == 0) return 0;
    // Added up from left to right as the dynamic programs do, so that rounding leaves their order as it is.
    double total = 0;
    for (int i = 0; i < chain.count; ++i) {
        total += chain.sibling_at(i ? labels[i - 1] : chain.labels, labels[i]);
        total += chain.unary_at(i, labels[i]);
    }
    return total + chain.sibling_at(labels[chain.count - 1], chain.labels);
}

double best_chain(const LabelChain& chain, int* result) {
    const int labels = chain.labels, count = chain.count;
    if (count == 0) return 0;
    if (!chain.siblings) {
        for (int i = 0; i < count; ++i) {
            const double* row = chain.unary + static_cast<std::size_t>(i) * labels;
            result[i] = static_cast<int>(std::max_element(row, row + labels) - row);
        }
        return chain_score(chain, result);
    }
    thread_local std::vector<double> best;
    best.resize(static_cast<std::size_t>(count) * labels);
    auto at = [labels](int i) { return best.data() + static_cast<std::size_t>(i) * labels; };
    for (int l = 0; l < labels; ++l) at(0)[l] = chain.sibling_at(labels, l) + chain.unary_at(0, l);
    for (int i = 1; i < count; ++i) {
        step_best(at(i - 1), chain.siblings, labels, at(i));
        for (int l = 0; l < labels; ++l) at(i)[l] += chain.unary_at(i, l);
    }
    for (int i = count - 1; i >= 0; --i) {
        const int next = i + 1 < count ? result[i + 1] : labels;
        result[i] = 0;
        double top = impossible;
        for (int l = 0; l < labels; ++l) {
            const double value = at(i)[l] + chain.sibling_at(l, next);
            if (value > top) {
                top = value;
                result[i] = l;
            }
        }
    }
    return chain_score(chain, result);
}

double sum_chain(const LabelChain& chain, double* probabilities, double* pairs) {
    const int labels = chain.labels, count = chain.count, states = chain.states();
    if (count == 0) return 0;
    if (!chain.siblings && !pairs) return sum_independent(chain, probabilities);
    if (!chain.siblings || !is_moderate(chain)) return sum_chain_in_logs(chain, probabilities, pairs);
    // Weights are exponentials; each modifier's best label weighs 1, and forward sums are kept at a total of 1.
    thread_local std::vector<double> factors, unary, forward, backward, scratch;
    factors.resize(static_cast<std::size_t>(states) * states);
    for (int s = 0; s < states * states - 1; ++s) factors[s] = std::exp(chain.siblings[s]);
    unary.resize(static_cast<std::size_t>(count) * labels);
    forward.resize(unary.size());
    backward.resize(unary.size());
    scratch.resize(labels);
    double total = 0;
    for (int i = 0; i < count; ++i) {
        const double* row = chain.unary + static_cast<std::size_t>(i) * labels;
        const double top = *std::max_element(row, row + labels);
        double* to = unary.data() + static_cast<std::size_t>(i) * labels;
        for (int l = 0; l < labels; ++l) to[l] = std::exp(row[l] - top);
        total += top;
    }
    for (int i = 0; i < count; ++i) {
        double* to = forward.data() + static_cast<std::size_t>(i) * labels;
        const double* own = unary.data() + static_cast<std::size_t>(i) * labels;
        if (i == 0)
            std::copy_n(factors.data() + static_cast<std::size_t>(labels) * states, labels, to);
        else
            step_sum(to - labels, factors.data(), states, labels, to);
        double sum = 0;
        for (int l = 0; l < labels; ++l) sum += to[l] *= own[l];
        for (int l = 0; l < labels; ++l) to[l] /= sum;
        total += std::log(sum);
    }
    for (int i = count - 1; i >= 0; --i) {
        double* to = backward.data() + static_cast<std::size_t>(i) * labels;
        if (i + 1 == count) {
            for (int l = 0; l < labels; ++l) to[l] = factors[static_cast<std::size_t>(l) * states + labels];
        } else {
            for (int l = 0; l < labels; ++l)
                scratch[l] = to[labels + l] * unary[(i + 1) * static_cast<std::size_t>(labels) + l];
            for (int l = 0; l < labels; ++l) {
                const double* row = factors.data() + static_cast<std::size_t>(l) * states;
                double sum = 0;
                for (int s = 0; s < labels; ++s) sum += row[s] * scratch[s];
                to[l] = sum;
            }
        }
        const double* f = forward.data() + static_cast<std::size_t>(i) * labels;
        double sum = 0;
        for (int l = 0; l < labels; ++l) sum += f[l] * to[l];
        if (i + 1 == count) total += std::log(sum);
        for (int l = 0; l < labels; ++l) {
            to[l] /= sum;
            probabilities[static_cast<std::size_t>(i) * labels + l] = f[l] * to[l];
        }
    }
    if (!pairs) return total;
    for (int l = 0; l < labels; ++l) {
        pairs[static_cast<std::size_t>(labels) * states + l] += probabilities[l];
        pairs[static_cast<std::size_t>(l) * states + labels] +=
            probabilities[static_cast<std::size_t>(count - 1) * labels + l];
    }
    for (int i = 1; i < count; ++i) {
        const double* f = forward.data() + static_cast<std::size_t>(i - 1) * labels;
        const double* b = backward.data() + static_cast<std::size_t>(i) * labels;
        const double* own = unary.data() + static_cast<std::size_t>(i) * labels;
        double sum = 0;  // of all pairs, to make them add up to 1
        for (int p = 0; p < labels; ++p)
            for (int l = 0; l < labels; ++l)
                sum += f[p] * factors[static_cast<std::size_t>(p) * states + l] * own[l] * b[l];
        for (int p = 0; p < labels; ++p)
            for (int l = 0; l < labels; ++l)
                pairs[static_cast<std::size_t>(p) * states + l] +=
                    f[p] * factors[static_cast<std::size_t>(p) * states + l] * own[l] * b[l] / sum;
    }
    return total;
}

namespace {

// The ways to every label of a chain, the best first, found as they are asked for (Huang & Chiang 2005, algorithm 3): the
// best way to each label at once, the next one from the ways to the labels before it.
class RankedWays {
public:
    struct Way {
        double score;
        int previous, rank;  // label before, and which of its ways
        // Of equals the earlier label comes first, and then its better way.
        bool operator<(const Way& other) const {
            return std::tie(score, other.previous, other.rank) < std::tie(other.score, previous, rank);
        }
    };

    explicit RankedWays(const LabelChain& chain)
        : chain_(chain), nodes_(static_cast<std::size_t>(chain.count) * chain.labels + 1) {
        for (int i = 0; i <= chain.count; ++i)
            for (int l = 0; l < labels_at(i); ++l) find_best(i, l);
    }

    // The way of this rank to label l at i, or null if there are not so many; those before it have been asked for. At
    // i = count there is one label, the end.
    const Way* at(int i, int l, int rank) {
        Node& node = node_at(i, l);
        if (rank < static_cast<int>(node.ways.size())) return &node.ways[rank];
        if (node.ways.empty() || i == 0) return nullptr;
        if (rank == 1) propose_others(i, l, node);
        const Way last = node.ways.back();
        propose(i, l, node, last.previous, last.rank + 1);
        if (node.next.empty()) return nullptr;
        node.ways.push_back(node.next.top());
        node.next.pop();
        return &node.ways[rank];
    }

    std::vector<int> labels_of(Way way) {
        std::vector<int> result(chain_.count);
        for (int i = chain_.count - 1; i >= 0; --i) {
            result[i] = way.previous;
            way = *at(i, way.previous, way.rank);
        }
        return result;
    }

private:
    struct Node {
        std::vector<Way> ways;
        std::priority_queue<Way> next;
    };

    int labels_at(int i) const { return i < chain_.count ? chain_.labels : 1; }
    Node& node_at(int i, int l) { return nodes_[static_cast<std::size_t>(i) * chain_.labels + l]; }
    double own_score(int i, int l) const { return i < chain_.count ? chain_.unary_at(i, l) : 0; }
    double pair_score(int i, int p, int l) const { return chain_.sibling_at(p, i < chain_.count ? l : chain_.labels); }

    void find_best(int i, int l) {
        const double own = own_score(i, l);
        if (own == impossible) return;
        Way best{impossible, -1, 0};
        if (i == 0) best.score = chain_.sibling_at(chain_.labels, l) + own;
        for (int p = 0; i > 0 && p < chain_.labels; ++p) {
            if (node_at(i - 1, p).ways.empty()) continue;
            const double score = node_at(i - 1, p).ways[0].score + pair_score(i, p, l) + own;
            if (score > best.score) best = {score, p, 0};
        }
        if (best.score != impossible) node_at(i, l).ways.push_back(best);
    }

    // The best ways by all labels before but that of the best way of all.
    void propose_others(int i, int l, Node& node) {
        for (int p = 0; p < chain_.labels; ++p)
            if (p != node.ways[0].previous) propose(i, l, node, p, 0);
    }

    void propose(int i, int l, Node& node, int p, int rank) {
        const Way* before = at(i - 1, p, rank);
        if (!before) return;
        const double score = before->score + pair_score(i, p, l) + own_score(i, l);
        if (score != impossible) node.next.push({score, p, rank});
    }

    const LabelChain& chain_;
    std::vector<Node> nodes_;
};

}  // namespace

std::vector<ChainLabels> best_chains(const LabelChain& chain, int k, double least) {
    if (chain.count == 0) return {{{}, 0.0}};
    RankedWays ways(chain);
    std::vector<ChainLabels> result;
    for (int rank = 0; rank < k; ++rank) {
        const RankedWays::Way* way = ways.at(chain.count, 0, rank);
        if (!way || way->score < least) break;
        ChainLabels found{ways.labels_of(*way), 0};
        found.score = chain_score(chain, found.labels.data());
        result.push_back(std::move(found));
    }
    return result;
}

}  // namespace arbora
