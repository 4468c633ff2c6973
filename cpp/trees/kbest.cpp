#include "trees/kbest.hpp"

#include <algorithm>
#include <memory>
#include <queue>

#include "support/interruption.hpp"
#include "trees/contraction.hpp"
#include "trees/feasibility.hpp"

namespace arbora {
namespace {

// Lawler's partition with Camerini, Fratta & Maffioli's step (1980). A set of trees is given by arcs that its trees
// must have and must not have. Its best tree A is known; some arc e of A is missing from the next best tree B. When
// B's turn comes, the set splits into the trees without e, of which B is the best, and those with e, of which A is.
// Either needs one contraction to find its own next: O(n^2) a tree.
class Partition {
public:
    Partition(LabelledScores scores, bool single_root) : scores_(scores), single_root_(single_root) {
        const std::size_t cells = static_cast<std::size_t>(scores.n + 1) * (scores.n + 1);
        arcs_.resize(cells);
        max_over_labels(scores, arcs_.data());
    }

    std::vector<LabelledTree> run(int k) {
        std::vector<LabelledTree> result;
        auto best = std::make_shared<LabelledTree>();
        apply(nullptr);
        if (!contraction_.solve({work_.data(), scores_.n}, single_root_))
            throw_infeasible({arcs_.data(), scores_.n}, single_root_);
        *best = read_tree();
        result.push_back(*best);
        push_next(nullptr, best);
        while (static_cast<int>(result.size()) < k && !queue_.empty()) {
            Interruption::heed();
            const Candidate next = queue_.top();
            queue_.pop();
            auto without = std::make_shared<const Rule>(Rule{next.rules, next.modifier, next.head, next.label, false});
            auto with = std::make_shared<const Rule>(Rule{next.rules, next.modifier, next.head, next.label, true});
            apply(without);
            contraction_.solve({work_.data(), scores_.n}, single_root_);
            auto tree = std::make_shared<LabelledTree>(read_tree());
            result.push_back(*tree);
            push_swap(without, tree);
            push_next(with, next.best);
        }
        return result;
    }

private:
    // An arc that every tree of a set has, or none; linked to the rules of the larger set.
    struct Rule {
        std::shared_ptr<const Rule> earlier;
        int modifier, head, label;
        bool required;
    };
    using Rules = std::shared_ptr<const Rule>;

    // A set of trees, its best tree, and the arc of that tree which its next best tree lacks.
    struct Candidate {
        double score;  // of the next best tree
        long order;    // of equals, the first found first
        Rules rules;
        std::shared_ptr<const LabelledTree> best;
        int modifier, head, label;
        bool operator<(const Candidate& other) const {
            return score != other.score ? score < other.score : order > other.order;
        }
    };

    double* work_cell(int head, int modifier) {
        return &work_[static_cast<std::size_t>(head) * (scores_.n + 1) + modifier];
    }

    // The set's arc scores into work_; banned_ keeps the labels that some rule excludes.
    void apply(const Rules& rules) {
        work_ = arcs_;
        banned_.clear();
        required_.assign(scores_.n + 1, -1);
        for (const Rule* rule = rules.get(); rule; rule = rule->earlier.get()) {
            if (rule->required) {
                for (int h = 0; h <= scores_.n; ++h)
                    if (h != rule->head) *work_cell(h, rule->modifier) = impossible;
                *work_cell(rule->head, rule->modifier) = scores_.cell(rule->head, rule->modifier)[rule->label];
                required_[rule->modifier] = rule->label;
            } else {
                banned_.push_back({rule->head, rule->modifier, rule->label});
            }
        }
        std::sort(banned_.begin(), banned_.end());
        for (const auto& [head, modifier, label] : banned_) {
            (void)label;
            if (required_[modifier] >= 0) continue;
            const int best = label_of(head, modifier, -1);
            *work_cell(head, modifier) = best < 0 ? impossible : scores_.cell(head, modifier)[best];
        }
    }

    // The best label of an arc that the rules allow, other than `except`; -1 if there is none.
    int label_of(int head, int modifier, int except) const {
        if (required_[modifier] >= 0) return except < 0 ? required_[modifier] : -1;
        const double* cell = scores_.cell(head, modifier);
        auto ban = std::lower_bound(banned_.begin(), banned_.end(), Arc{head, modifier, -1});
        int best = -1;
        for (int l = 0; l < scores_.labels; ++l) {
            if (ban != banned_.end() && *ban == Arc{head, modifier, l}) {
                ++ban;
                continue;
            }
            if (l != except && cell[l] != impossible && (best < 0 || cell[l] > cell[best])) best = l;
        }
        return best;
    }

    LabelledTree read_tree() const {
        LabelledTree tree{contraction_.heads(), std::vector<int>(scores_.n + 1, -1), 0};
        for (int m = 1; m <= scores_.n; ++m) tree.labels[m] = label_of(tree.heads[m], m, -1);
        tree.score = tree_score(scores_, tree);
        return tree;
    }

    // Queues the next best tree of the set whose best tree is `best`.
    void push_next(const Rules& rules, const std::shared_ptr<const LabelledTree>& best) {
        apply(rules);
        contraction_.solve({work_.data(), scores_.n}, single_root_);
        // Among equals (up to rounding) the contraction may prefer another tree: then that one comes next.
        const LabelledTree found = read_tree();
        for (int m = 1; m <= scores_.n; ++m)
            if (found.heads[m] != best->heads[m] || found.labels[m] != best->labels[m]) {
                queue_.push({found.score, order_++, rules, best, m, best->heads[m], best->labels[m]});
                return;
            }
        push_swap(rules, best);
    }

    // The same, when the contraction has just solved the set and found `best`.
    void push_swap(const Rules& rules, const std::shared_ptr<const LabelledTree>& best) {
        auto swap = contraction_.best_swap();
        if (scores_.labels > 1)
            for (int m = 1; m <= scores_.n; ++m) {
                const int other = label_of(best->heads[m], m, best->labels[m]);
                if (other < 0) continue;
                const double* cell = scores_.cell(best->heads[m], m);
                const double loss = cell[best->labels[m]] - cell[other];
                if (loss < swap.loss) swap = {m, loss};
            }
        const int m = swap.modifier;
        if (m) queue_.push({best->score - swap.loss, order_++, rules, best, m, best->heads[m], best->labels[m]});
    }

    struct Arc {
        int head, modifier, label;
        auto operator<=>(const Arc&) const = default;
    };

    LabelledScores scores_;
    bool single_root_;
    std::vector<double> arcs_, work_;
    std::vector<Arc> banned_;    // sorted
    std::vector<int> required_;  // per modifier: the required arc's label, or -1
    Contraction contraction_;
    std::priority_queue<Candidate> queue_;
    long order_ = 0;
};

}  // namespace

double tree_score(LabelledScores scores, const LabelledTree& tree) {
    double total = 0;
    for (int m = 1; m <= scores.n; ++m) total += scores.cell(tree.heads[m], m)[tree.labels[m]];
    return total;
}

void sort_by_score(std::vector<LabelledTree>& trees) {
    std::stable_sort(trees.begin(), trees.end(),
                     [](const LabelledTree& a, const LabelledTree& b) { return a.score > b.score; });
}

std::vector<LabelledTree> best_trees(LabelledScores scores, bool single_root, int k) {
    auto trees = Partition(scores, single_root).run(k);
    sort_by_score(trees);
    return trees;
}

}  // namespace arbora
