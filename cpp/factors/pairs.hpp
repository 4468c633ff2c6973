#pragma once
#include <mutex>
#include <optional>

#include "factors/factor_group.hpp"
#include "factors/pair_odds.hpp"

namespace arbora {

// Many factors, each over two binary variables, with one part: both are true. -inf forbids that. Everything is in
// closed form. Unless scores are extreme, sum-product messages are odds, which need no logarithms (PairOdds).
class Pairs final : public FactorGroup {
public:
    // One score for each factor of the wiring, which has two binary inputs; throws std::invalid_argument otherwise.
    Pairs(const Wiring& wiring, std::vector<double> scores);

    const char* kind() const override { return "Pairs"; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    bool project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet& cache,
                 Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override;
    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override;

    bool has_odds() const override { return has_odds_; }
    bool propagate(const Totals& totals, double damping, double* messages, Arena& arena) const override;
    double sum_all(const Totals& totals, const double* messages, double* parts, Arena& arena) const override;
    void add_messages(const double* messages, Totals& totals) const override;

private:
    // Made when somebody first asks: many graphs are only maximised.
    const PairOdds& odds() const;

    bool has_odds_;
    mutable std::once_flag made_;
    mutable std::optional<PairOdds> odds_;
};

}  // namespace arbora
