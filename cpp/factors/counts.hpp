#pragma once
#include <algorithm>
#include <vector>

#include "factors/factor_group.hpp"

namespace arbora {

// How many inputs are true: a score for none, for one, ... and one for K or more. Any of them may be. A factor's parts are
// its K + 1 scores, of which each configuration has one. `best` takes a sort, the others O(n K).
class Counts : public FactorGroup {
public:
    // So many scores, K + 1, for each factor, factor after factor.
    Counts(Wiring wiring, int width, std::vector<double> scores);

    const char* kind() const override { return "Counts"; }
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
    // Which score so many inputs have.
    int part_of(std::size_t count) const { return static_cast<int>(std::min<std::size_t>(count, width_ - 1)); }

    int width_;
};

}  // namespace arbora
