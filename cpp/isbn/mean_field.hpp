// The means of a state vector that fit best to what was decided in it: the maximum of L_V (equation 7 of Titov &
// Henderson 2007),
//
//     L(m) = sum_i [-m_i ln m_i - (1 - m_i) ln (1 - m_i) + m_i eta_i]
//          + sum_k [W_k[d_k] m + b_k[d_k] - ln sum_d exp(W_k[d] m + b_k[d])],
//
// which is concave. At the maximum, logit m = eta + sum_k (W_k[d_k] - E_k[W_k]).
#pragma once
#include <span>
#include <vector>

namespace arbora::isbn {

// One elementary decision: a choice among rows of weights, some of which may not be legal.
struct Choice {
    const double* rows;
    const double* biases;
    int count;
    int chosen;
    unsigned legal = ~0u;  // bits; of the first 32 rows, for groups that have no more

    bool is_legal(int row) const { return row >= 32 || (legal >> row & 1); }
};

// The probabilities of a choice at some means: equation 5. Those of what is not legal are 0. The logarithm of the sum
// comes back.
double probabilities(const Choice& choice, const double* means, int width, double* result);

// L(means); -inf for means that are no probabilities.
double lower_bound(std::span<const Choice> choices, const double* eta, int width, const double* means);

enum class Ascent {
    newton,       // with conjugate gradients, safeguarded
    coordinates,  // one mean at a time, by bisection: as in the paper, and slow
};

// Room to work in.
struct MeanFieldScratch {
    std::vector<double> probabilities, scores, vectors;
};

// Maximises L from the logits of means that are there, and gives the means. How many steps it took comes back.
int maximise(std::span<const Choice> choices, const double* eta, int width, Ascent ascent, double* logits,
             double* means, MeanFieldScratch& scratch);

// Solves H x = g, where -H is the matrix of second derivatives of L at these means: what a small change of the
// gradient does to the maximum.
void solve_hessian(std::span<const Choice> choices, int width, const double* means, const double* g, double* x,
                   MeanFieldScratch& scratch);

}  // namespace arbora::isbn
