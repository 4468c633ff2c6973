#pragma once
#include <algorithm>
#include <vector>

#include "linear/label_chains.hpp"
#include "parsing/scorer.hpp"

namespace arbora {

// The family of Martins et al. 2010, eq. 22:
//   L(s, y) = 1/beta log sum over y' of exp(beta (s(y') - s(y) + gamma cost(y', y))),
// with the Hamming cost: 1 for every word with a wrong head (and label, where there are labels). beta = 1, gamma = 0
// is a CRF; beta = inf, gamma = 1 a structured SVM; beta = inf, gamma = 0 the perceptron; beta = gamma = 1
// softmax-margin.
// Labels of arcs that nobody observed (hidden roles, for one) are summed out, for finite beta: the sum over y' is over
// all of them, at no cost, and s(y) is 1/beta log sum over those of the gold arcs of exp(beta s).
// Partial trees: where heads are not known either, s(y) is 1/beta log sum over all trees with what is known of
// exp(beta s), or for beta = inf the score of the best of them (a latent margin). What is not known costs nothing.
struct LossFamily {
    double beta, gamma;
};

// What is right of one sentence: heads of words 1..n (negative: hidden), their labels (null, or negative: hidden), and
// the places of their tags among those that words may have (null: hidden).
struct GoldTree {
    const int* heads;
    const int* labels = nullptr;
    const int* tags = nullptr;

    // Whether some head is hidden.
    bool is_partial(int n) const {
        return std::any_of(heads + 1, heads + n + 1, [](int head) { return head < 0; });
    }
};

// What a loss over trees maximises or sums: scores with the cost of what is wrong, multiplied by beta (by 1 if that is
// infinite).
struct Potentials {
    double beta = 1, gold = 0;  // `gold`: the score of the gold tree, not multiplied
    Candidates candidates;
    // Where the gold arcs' scores (those of their labels) stand, with the probability of each: 1 unless the label is
    // hidden.
    struct Right {
        std::size_t at;
        double probability;
    };
    std::vector<Right> right;
    // Where trees are partial, or labels hidden and beta infinite: the scores of what agrees with all that is known,
    // multiplied, and -inf for the rest. Then there is no `gold` and nothing in `right`, but a second sum or maximum.
    bool is_latent = false;
    Candidates agreeing;

    // Throws Infeasible if a gold arc is no candidate.
    void set(const Candidates& given, GoldTree tree, LossFamily family);

private:
    void add_hidden(const double* scores, std::size_t first, int count);
    void set_latent(const Candidates& given, GoldTree tree);
};

// The heads of the tree that has the most of these shares of arcs (one for each score), of those that agree.
void complete_tree(const Candidates& agreeing, const std::vector<double>& shares, TreeKind kind,
                   std::vector<int>& heads);

// Over trees: returns the loss and fills its gradient with respect to the candidates' scores (for beta = inf a
// subgradient). Labels matter where the candidates have some. The gold arcs must be among the candidates. Where the gold
// tree is partial, `completed`, if not null, gets the heads of a whole one: what the loss believes of it.
// Throws Infeasible.
double tree_loss(const Candidates& candidates, GoldTree gold, LossFamily family, TreeKind kind,
                 std::vector<double>& gradient, std::vector<int>* completed = nullptr);

// Over the labels of one head's modifiers: fills unary_gradient[i][label], and adds to
// sibling_gradient[previous][label]. Labels that are hidden (negative) are summed out, or for beta = inf the best.
double chain_loss(const LabelChain& chain, const int* labels, LossFamily family, double* unary_gradient,
                  double* sibling_gradient);

}  // namespace arbora
