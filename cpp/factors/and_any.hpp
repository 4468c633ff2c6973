#pragma once
#include "factors/factor_group.hpp"

namespace arbora {

// A score, the factor's one part, if a condition is true and any of some inputs is; -inf forbids that. Ports: the
// condition, the inputs. O(n) each.
class AndAny final : public FactorGroup {
public:
    // One score for each factor of the wiring; throws std::invalid_argument if there is no condition.
    AndAny(const Wiring& wiring, std::vector<double> scores);

    const char* kind() const override { return "AndAny"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

private:
    template <class S>
    double beliefs_of(std::size_t factor, const double* in, double* beliefs, double* part, Arena& arena) const;
    int inputs(std::size_t factor) const { return wiring().port_count(factor) - 1; }
};

}  // namespace arbora
