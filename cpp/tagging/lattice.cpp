#include "tagging/lattice.hpp"

#include <algorithm>
#include <cmath>

#include "semirings/log.hpp"
#include "semirings/max.hpp"
#include "support/exponential.hpp"

namespace arbora {
namespace {

constexpr double impossible = MaxSemiring::zero;

// States (u, v) of all places in a row; at place i, u runs fastest: it is the s of the next place.
struct Forward {
    std::vector<double> values;
    std::vector<std::size_t> starts;

    const double* at(int place) const { return values.data() + starts[place]; }
};

// forward(u, v) = local(v) * sum over s of forward(s, u) * triple(s, u, v), in the semiring.
template <class S>
double go_forward(const Lattice& lattice, Forward& forward) {
    forward.starts.clear();
    std::size_t total = 0;
    for (int i = 0; i < lattice.count(); ++i) {
        forward.starts.push_back(total);
        total += static_cast<std::size_t>(lattice.size(i - 1)) * lattice.size(i);
    }
    forward.values.resize(total);
    const double nothing = S::one;
    for (int i = 0; i < lattice.count(); ++i) {
        const double* from = i ? forward.at(i - 1) : &nothing;
        double* to = forward.values.data() + forward.starts[i];
        const double* triples = lattice.triples.data() + lattice.triple_starts[i];
        const double* local = lattice.local.data() + lattice.starts[i];
        const int before = lattice.size(i - 2), shared = lattice.size(i - 1), after = lattice.size(i);
        for (int u = 0; u < shared; ++u)
            for (int v = 0; v < after; ++v, triples += before)
                to[static_cast<std::size_t>(v) * shared + u] =
                    local[v] + (before == 1 ? from[u] + triples[0]
                                            : S::dot(from + static_cast<std::size_t>(u) * before, triples, before));
    }
    const int last = lattice.count() - 1;
    double result = S::zero;
    for (int state = 0; state < lattice.size(last - 1) * lattice.size(last); ++state)
        result = S::plus(result, forward.at(last)[state]);
    return result;
}

double sum_independent(const Lattice& lattice, std::vector<double>& candidates) {
    double total = 0;
    for (int i = 0; i < lattice.count(); ++i) {
        const auto begin = lattice.local.begin() + lattice.starts[i],
                   end = lattice.local.begin() + lattice.starts[i + 1];
        const double top = *std::max_element(begin, end);
        if (top == impossible) return impossible;
        double sum = 0;
        for (int c = lattice.starts[i]; c < lattice.starts[i + 1]; ++c)
            sum += candidates[c] = exp_bounded(lattice.local[c] - top);
        for (int c = lattice.starts[i]; c < lattice.starts[i + 1]; ++c) candidates[c] /= sum;
        total += top + std::log(sum);
    }
    return total;
}

}  // namespace

void Lattice::clear() {
    starts.assign(1, 0);
    labels.clear();
    local.clear();
    triples.clear();
    triple_starts.clear();
}

void Lattice::make_chain() {
    std::size_t total = 0;
    for (int i = 0; i < count(); ++i) {
        triple_starts.push_back(total);
        total += static_cast<std::size_t>(size(i - 2)) * size(i - 1) * size(i);
    }
    triples.assign(total, 0);
}

void Lattice::multiply(double scale) {
    for (double& score : local) score *= scale;
    for (double& score : triples) score *= scale;
}

double path_score(const Lattice& lattice, const int* path) {
    double total = 0;
    for (int i = 0; i < lattice.count(); ++i) {
        if (lattice.is_chain())
            total += lattice.triples[lattice.triple(i, i > 1 ? path[i - 2] : 0, i > 0 ? path[i - 1] : 0, path[i])];
        total += lattice.local[lattice.starts[i] + path[i]];
    }
    return total;
}

double best_path(const Lattice& lattice, int* path) {
    const int count = lattice.count();
    if (count == 0) return 0;
    if (!lattice.is_chain()) {
        for (int i = 0; i < count; ++i) {
            const double* row = lattice.local.data() + lattice.starts[i];
            path[i] = static_cast<int>(std::max_element(row, row + lattice.size(i)) - row);
        }
        return path_score(lattice, path);
    }
    thread_local Forward forward;
    go_forward<MaxSemiring>(lattice, forward);
    const double* ends = forward.at(count - 1);
    const int shared = lattice.size(count - 2);
    const int end = static_cast<int>(std::max_element(ends, ends + shared * lattice.size(count - 1)) - ends);
    path[count - 1] = end / shared;
    if (count > 1) path[count - 2] = end % shared;
    for (int i = count - 1; i > 1; --i) {
        const int u = path[i - 1], before = lattice.size(i - 2);
        const double* from = forward.at(i - 1) + static_cast<std::size_t>(u) * before;
        const double* triples = lattice.triples.data() + lattice.triple(i, 0, u, path[i]);
        int s = 0;
        for (int k = 1; k < before; ++k)
            if (from[k] + triples[k] > from[s] + triples[s]) s = k;
        path[i - 2] = s;
    }
    return path_score(lattice, path);
}

// Backwards, with probabilities only: P(s, u, v) = P(u, v) P(s | u, v), where P(s | u, v) is the share of s in the sum
// that made forward(u, v); and P(s, u) = sum over v of P(s, u, v). Nothing is subtracted but scores.
double sum_paths(const Lattice& lattice, std::vector<double>& candidates, std::vector<double>* triples) {
    const int count = lattice.count();
    candidates.assign(lattice.local.size(), 0);
    if (triples) triples->assign(lattice.triples.size(), 0);
    if (count == 0) return 0;
    if (!lattice.is_chain()) {
        const double total = sum_independent(lattice, candidates);
        if (total == impossible) std::fill(candidates.begin(), candidates.end(), 0.0);
        return total;
    }
    thread_local Forward forward;
    thread_local std::vector<double> pairs, earlier;
    const double total = go_forward<LogSemiring>(lattice, forward);
    if (total == impossible) return total;
    const double nothing = 0;
    pairs.resize(static_cast<std::size_t>(lattice.size(count - 2)) * lattice.size(count - 1));
    for (std::size_t state = 0; state < pairs.size(); ++state)
        pairs[state] = exp_bounded(forward.at(count - 1)[state] - total);
    for (int i = count - 1; i >= 0; --i) {
        const int before = lattice.size(i - 2), shared = lattice.size(i - 1), after = lattice.size(i);
        const double* from = i ? forward.at(i - 1) : &nothing;
        const double* scores = lattice.triples.data() + lattice.triple_starts[i];
        earlier.assign(static_cast<std::size_t>(before) * shared, 0);
        for (int u = 0; u < shared; ++u)
            for (int v = 0; v < after; ++v, scores += before) {
                const std::size_t state = static_cast<std::size_t>(v) * shared + u;
                const double pair = pairs[state];
                candidates[lattice.starts[i] + v] += pair;
                if (pair == 0) continue;
                const double whole = forward.at(i)[state] - lattice.local[lattice.starts[i] + v];
                for (int s = 0; s < before; ++s) {
                    const std::size_t state_before = static_cast<std::size_t>(u) * before + s;
                    const double p = pair * exp_bounded(from[state_before] + scores[s] - whole);
                    earlier[state_before] += p;
                    if (triples) (*triples)[scores - lattice.triples.data() + s] = p;
                }
            }
        std::swap(pairs, earlier);
    }
    return total;
}

std::vector<ScoredPath> best_paths(const Lattice& lattice, int k) {
    struct Step {
        double score;
        int s, rank;  // the candidate two places before, and which of the paths to it
    };
    const int count = lattice.count();
    if (count == 0) return {{{}, 0.0}};
    const auto keep_best = [k](std::vector<Step>& found) {
        std::erase_if(found, [](const Step& step) { return step.score == impossible; });
        std::stable_sort(found.begin(), found.end(), [](const Step& a, const Step& b) { return a.score > b.score; });
        if (static_cast<int>(found.size()) > k) found.resize(k);
    };
    // steps[i][u g(i) + v]: the k best ways to (u, v), in order.
    std::vector<std::vector<std::vector<Step>>> steps(count);
    for (int i = 0; i < count; ++i) {
        const int before = lattice.size(i - 2), shared = lattice.size(i - 1), after = lattice.size(i);
        steps[i].resize(static_cast<std::size_t>(shared) * after);
        for (int u = 0; u < shared; ++u)
            for (int v = 0; v < after; ++v) {
                std::vector<Step>& found = steps[i][static_cast<std::size_t>(u) * after + v];
                const double own = lattice.local[lattice.starts[i] + v];
                for (int s = 0; s < before; ++s) {
                    const double step = lattice.is_chain() ? lattice.triples[lattice.triple(i, s, u, v)] : 0;
                    if (i == 0) {
                        found.push_back({step + own, 0, 0});
                        continue;
                    }
                    const auto& ways = steps[i - 1][static_cast<std::size_t>(s) * shared + u];
                    for (std::size_t r = 0; r < ways.size(); ++r)
                        found.push_back({ways[r].score + step + own, s, static_cast<int>(r)});
                }
                keep_best(found);
            }
    }
    struct End {
        int u, v, rank;
    };
    std::vector<Step> ends;
    std::vector<End> places;
    const int last = count - 1;
    for (int state = 0; state < static_cast<int>(steps[last].size()); ++state)
        for (std::size_t r = 0; r < steps[last][state].size(); ++r) {
            ends.push_back({steps[last][state][r].score, static_cast<int>(places.size()), 0});
            places.push_back({state / lattice.size(last), state % lattice.size(last), static_cast<int>(r)});
        }
    keep_best(ends);
    std::vector<ScoredPath> result;
    for (const Step& end : ends) {
        ScoredPath found{std::vector<int>(count), 0};
        auto [u, v, rank] = places[end.s];
        for (int i = last; i >= 0; --i) {
            found.path[i] = v;
            const Step& step = steps[i][static_cast<std::size_t>(u) * lattice.size(i) + v][rank];
            v = u;
            u = step.s;
            rank = step.rank;
        }
        found.score = path_score(lattice, found.path.data());
        result.push_back(std::move(found));
    }
    return result;
}

double path_loss(const Lattice& lattice, const int* gold, double beta, double gamma, std::vector<double>& candidates,
                 std::vector<double>& triples) {
    const bool best = std::isinf(beta);
    const double factor = best ? 1 : beta;
    thread_local Lattice augmented;
    augmented = lattice;
    for (double& score : augmented.local) score = factor * (score + gamma);
    for (int i = 0; i < lattice.count(); ++i) {
        const int at = lattice.starts[i] + gold[i];
        augmented.local[at] = factor * lattice.local[at];
    }
    if (factor != 1)
        for (double& score : augmented.triples) score *= factor;
    const auto add_path = [&](const int* path, double by) {
        for (int i = 0; i < lattice.count(); ++i) {
            candidates[lattice.starts[i] + path[i]] += by;
            if (lattice.is_chain())
                triples[lattice.triple(i, i > 1 ? path[i - 2] : 0, i > 0 ? path[i - 1] : 0, path[i])] += by;
        }
    };
    double total;
    if (best) {
        thread_local std::vector<int> found;
        found.resize(lattice.count());
        total = best_path(augmented, found.data());
        candidates.assign(lattice.local.size(), 0);
        triples.assign(lattice.triples.size(), 0);
        add_path(found.data(), 1);
    } else {
        total = sum_paths(augmented, candidates, &triples);
    }
    add_path(gold, -1);
    return total / factor - path_score(lattice, gold);
}

}  // namespace arbora
