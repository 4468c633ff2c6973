#pragma once
#include <vector>

#include "factors/factor_group.hpp"

namespace arbora {

// Bigrams of neighbouring modifiers that also see the head's own head g (Koo et al. 2010, section 5): a factor for each
// head. Its inputs are the candidate arcs from g to the head, of which exactly one is true, then the candidate
// modifiers on the left, then those on the right, both from the head outwards. A factor without candidates for g is the
// root's: its bigrams see nothing more, as if there were one g that is certain. Its parts are, for each g, the bigrams
// on the left and those on the right, numbered as in charts/bigrams.hpp. Every oracle takes O(G p^2).
class GrandSiblings : public FactorGroup {
public:
    // How many candidates for g, and modifiers on the left, each factor has (the rest of its inputs is on the right),
    // and the scores of all parts, factor after factor.
    GrandSiblings(Wiring wiring, std::vector<int> grandparents, std::vector<int> left, std::vector<double> scores);

    const char* kind() const override { return "GrandSiblings"; }
    // How many of a factor's inputs are candidates for g, and how many modifiers on the left.
    int grandparent_count(std::size_t factor) const { return grandparents_[factor]; }
    int left_count(std::size_t factor) const { return left_[factor]; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    struct Shape;
    struct Choice;
    Shape shape(std::size_t factor) const;
    static Choice choice(const Shape& shape, std::span<const int> active);
    template <class Running>
    double propagate(const Shape& shape, const double* in, double* beliefs, double* parts, Arena& arena) const;

    std::vector<int> grandparents_, left_;
};

}  // namespace arbora
