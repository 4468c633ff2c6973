// Labels along a sentence, of which every place has a few candidates: scores of candidates, and of three in a row.
#pragma once
#include <vector>

namespace arbora {

// Place i has the candidates starts[i] to starts[i + 1], each with its `local` score; every place has at least one.
// triples[triple_starts[i] + (u g(i) + v) g(i-2) + s] is the score of candidate s at place i - 2, u at i - 1 and v at
// i; before the first place there is one candidate. No triples at all: places are independent. -inf forbids.
struct Lattice {
    std::vector<int> starts{0}, labels;
    std::vector<double> local, triples;
    std::vector<std::size_t> triple_starts;

    int count() const { return static_cast<int>(starts.size()) - 1; }
    int size(int place) const { return place < 0 ? 1 : starts[place + 1] - starts[place]; }
    bool is_chain() const { return !triples.empty(); }
    std::size_t triple(int place, int s, int u, int v) const {
        return triple_starts[place] + (static_cast<std::size_t>(u) * size(place) + v) * size(place - 2) + s;
    }
    void clear();
    // Once all candidates are there: room for triples, which score 0.
    void make_chain();
    // All scores by a positive number.
    void multiply(double scale);
};

// The score of a row of candidates, counted from 0 at every place.
double path_score(const Lattice& lattice, const int* path);

// The best row; returns its score. The time is the sum over i of g(i-2) g(i-1) g(i), here and below.
double best_path(const Lattice& lattice, int* path);

// The logarithm of the sum over all rows of exp(score). Fills the probability of each candidate and, unless it is null,
// of each triple (of a chain). If no row is possible, all are 0.
double sum_paths(const Lattice& lattice, std::vector<double>& candidates, std::vector<double>* triples);

struct ScoredPath {
    std::vector<int> path;
    double score;
};
// The k best rows in order, none twice; fewer where there are fewer possible ones.
std::vector<ScoredPath> best_paths(const Lattice& lattice, int k);

// The loss family of parsing/losses.hpp over rows, with a cost of 1 for every wrong candidate; `gold` is a row, and must
// be possible. Fills the gradient by candidates and, for a chain, by triples.
double path_loss(const Lattice& lattice, const int* gold, double beta, double gamma, std::vector<double>& candidates,
                 std::vector<double>& triples);

}  // namespace arbora
