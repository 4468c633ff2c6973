#pragma once
#include "factors/hard_factor.hpp"

namespace arbora {

// Logic over binary inputs (Martins et al. 2010, table 1), many factors at once, each in time linear in its inputs;
// `project` sorts. Other functions follow by negated inputs: Nand and Imply from Or, XorWithOutput from ExactlyOne.

// Exactly one input is true; or, if so wanted, none may be.
class OneOfFactor final : public HardFactor {
public:
    OneOfFactor(std::string kind, Wiring wiring, bool or_none)
        : HardFactor(std::move(kind), std::move(wiring)), none_(or_none ? 0 : -INFINITY) {}

    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    bool project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet& cache,
                 Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;

private:
    double none_;  // the score of no true input
};

// At least one input is true.
class OrFactor final : public HardFactor {
public:
    using HardFactor::HardFactor;

    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    bool project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet& cache,
                 Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
};

// The last input is true if and only if another one is.
class OrWithOutputFactor final : public HardFactor {
public:
    // Throws std::invalid_argument if a factor has no input at all.
    OrWithOutputFactor(std::string kind, Wiring wiring);

    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    bool project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet& cache,
                 Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;
};

}  // namespace arbora
