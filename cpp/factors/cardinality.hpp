#pragma once
#include "factors/hard_factor.hpp"

namespace arbora {

// At most k inputs are true; each factor has its own k. `sum` takes O(n k), the others O(n) or a sort.
class AtMostFactor final : public HardFactor {
public:
    // Throws std::invalid_argument if there is not one limit, at least 0, for each factor.
    AtMostFactor(std::string kind, Wiring wiring, std::vector<int> limits);

    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    bool project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet& cache,
                 Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;

private:
    std::vector<int> limits_;
};

}  // namespace arbora
