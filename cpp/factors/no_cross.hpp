#pragma once
#include <cstdint>

#include "factors/factor_group.hpp"

namespace arbora {

// A candidate arc of a sentence, and the variable that says whether it is there.
struct CandidateArc {
    Input input;
    int head, modifier;
};

// NOCROSS of Smith & Eisner 2008: a factor for every two words j < l. Exactly one of the candidate arcs into j is true,
// and exactly one of those into l; its only part is that the two cross (arcs_cross), and -inf forbids it. The ports are
// the arcs into j by head, then those into l. O(n) each, by the partial sums of sum_crossing.
class NoCross final : public FactorGroup {
public:
    // `scores` has (words + 1)^2 numbers, of which those with 1 <= j < l count. Throws std::invalid_argument if
    // something does not fit, such as an arc into the root.
    NoCross(const Variables& variables, std::vector<CandidateArc> arcs, int words, const std::vector<double>& scores);

    const char* kind() const override { return "NoCross"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    struct Built;
    NoCross(Built built, int words);
    static Built build(const Variables& variables, std::vector<CandidateArc> arcs, int words,
                       const std::vector<double>& scores);

    // One of the two words of a factor: its place in the sentence, the heads of its arcs, its first port.
    struct Side {
        int word, count, port;
        const std::int32_t* heads;
    };
    struct Sides {
        Side first, second;
    };
    Sides sides(std::size_t factor) const;
    bool cross(const Sides& sides, int first_port, int second_port) const;
    // Whether exactly one arc of each side is active, and whether they cross.
    struct Found {
        bool is_possible, is_crossing;
    };
    Found look_at(std::size_t factor, std::span<const int> active) const;

    // Numbers of a factor that are computed in a semiring: of each arc, all configurations that have it, and the same
    // without its own weight; of all configurations, and of those that cross.
    struct Sums {
        double *arcs, *rests;
        double all, crossed;
    };
    template <class S>
    Sums sums(const Sides& sides, const double* weights, double if_crossing, double if_straight, Arena& arena) const;

    struct Words {
        std::int32_t first, second;
    };
    int words_;
    std::vector<Words> pairs_;                  // the words of each factor
    std::vector<std::int32_t> begins_, heads_;  // the heads of each word's arcs
};

}  // namespace arbora
