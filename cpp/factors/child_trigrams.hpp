#pragma once
#include <vector>

#include "factors/factor_group.hpp"

namespace arbora {

// Trigrams of neighbouring modifiers, START and END included (the tri-siblings of Koo & Collins 2010): a factor for each
// head and side. Its inputs are the candidate modifiers there, from the head outwards; any of them may be taken. Its parts
// are the trigrams, numbered as in trigrams.hpp; a side without modifiers has none. Every oracle takes O(p^3) for p
// modifiers: the state of a path is its last two positions.
class ChildTrigrams : public FactorGroup {
public:
    // The scores of all trigrams, factor after factor.
    ChildTrigrams(Wiring wiring, std::vector<double> scores);

    const char* kind() const override { return "ChildTrigrams"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    const double* scores(std::size_t factor) const { return part_scores().data() + part_begin(factor); }
};

}  // namespace arbora
