#include "trees/sampling.hpp"

#include <algorithm>

#include "support/exponential.hpp"
#include "trees/matrix_tree.hpp"

namespace arbora {
namespace {

// Draws an index with probability proportional to the steps of a cumulative sum; impossible ones have no step.
int draw(const double* cumulative, int count, Random& random) {
    const double target = random.uniform() * cumulative[count - 1];
    const auto place = std::upper_bound(cumulative, cumulative + count, target);
    return static_cast<int>(std::min<std::ptrdiff_t>(place - cumulative, count - 1));
}

// Every token's heads as a cumulative sum of weights, a row per modifier.
class Walker {
public:
    explicit Walker(ArcScores scores)
        : n_(scores.n), cumulative_(static_cast<std::size_t>(n_ + 1) * (n_ + 1)), fixed_(n_ + 1, 0) {
        for (int m = 1; m <= n_; ++m) {
            double best = impossible;
            for (int h = 0; h <= n_; ++h)
                if (h != m) best = std::max(best, scores(h, m));
            double total = 0;
            for (int h = 0; h <= n_; ++h) {
                if (h != m) total += exp_bounded(scores(h, m) - best);
                row(m)[h] = total;
            }
        }
    }

    void fix(int modifier, int head) {
        for (int h = 0; h <= n_; ++h) row(modifier)[h] = h < head ? 0 : 1;
        fixed_[modifier] = 1;
    }

    // Wilson's algorithm; 0 if it found a tree, else the token, of those not fixed, that it visited most within its
    // allowance of steps. (There is one: fixed heads alone are part of a tree, so they close no cycle.)
    int walk(Heads& heads, Random& random) {
        long steps = 200 + 20L * n_ * n_;
        std::vector<int> visits(n_ + 1, 0);
        std::vector<char> in_tree(n_ + 1, 0);
        in_tree[0] = 1;
        heads.assign(n_ + 1, -1);
        for (int start = 1; start <= n_; ++start) {
            for (int v = start; !in_tree[v]; v = heads[v]) {
                if (--steps < 0)
                    return static_cast<int>(std::max_element(visits.begin(), visits.end()) - visits.begin());
                visits[v] += !fixed_[v];
                heads[v] = draw(row(v), n_ + 1, random);
            }
            for (int v = start; !in_tree[v]; v = heads[v]) in_tree[v] = 1;
        }
        return 0;
    }

private:
    double* row(int modifier) { return &cumulative_[static_cast<std::size_t>(modifier) * (n_ + 1)]; }

    int n_;
    std::vector<double> cumulative_;
    std::vector<char> fixed_;
};

// Scores under the decisions taken so far, for exact draws of single heads.
class Conditional {
public:
    Conditional(ArcScores scores, bool single_root, ScoreRange range)
        : scores_(scores.data, scores.data + static_cast<std::size_t>(scores.width()) * scores.width()),
          marginals_(scores_.size()),
          cumulative_(scores.width()),
          n_(scores.n),
          single_root_(single_root),
          range_(range) {}

    ArcScores scores() const { return {scores_.data(), n_}; }

    int draw_root(Random& random) {
        compute();
        double total = 0;
        for (int m = 0; m <= n_; ++m) cumulative_[m] = total += m ? marginals_[m] : 0;
        return draw(cumulative_.data(), n_ + 1, random);
    }

    int draw_head(int modifier, Random& random) {
        compute();
        double total = 0;
        for (int h = 0; h <= n_; ++h) cumulative_[h] = total += marginals_[h * (n_ + 1) + modifier];
        return draw(cumulative_.data(), n_ + 1, random);
    }

    void fix(int modifier, int head) {
        for (int h = 0; h <= n_; ++h)
            if (h != head) scores_[h * (n_ + 1) + modifier] = impossible;
        fresh_ = false;
        range_.lowest = impossible;
    }

    // From here on the root has this child only.
    void fix_root(int child) {
        fix(child, 0);
        for (int m = 1; m <= n_; ++m)
            if (m != child) scores_[m] = impossible;
        single_root_ = false;  // the arcs say it
    }

private:
    void compute() {
        if (!fresh_) arc_marginals(scores(), single_root_, range_, marginals_.data());
        fresh_ = true;
    }

    std::vector<double> scores_, marginals_, cumulative_;
    int n_;
    bool single_root_, fresh_ = false;
    ScoreRange range_;
};

}  // namespace

std::vector<Heads> sample_trees(ArcScores scores, bool single_root, ScoreRange range, int count, Random& random) {
    std::vector<Heads> trees(count);
    if (scores.n == 0) {
        for (auto& heads : trees) heads.assign(1, -1);
        return trees;
    }
    log_partition(scores, single_root, range);  // throws if there is no tree
    Conditional start(scores, single_root, range);
    for (auto& heads : trees) {
        Conditional now = start;
        if (single_root) {
            now.fix_root(start.draw_root(random));
        }
        Walker walker(now.scores());
        while (const int caught = walker.walk(heads, random)) {
            const int head = now.draw_head(caught, random);
            now.fix(caught, head);
            walker.fix(caught, head);
        }
    }
    return trees;
}

}  // namespace arbora
