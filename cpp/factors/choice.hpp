#pragma once
#include "factors/hard_factor.hpp"

namespace arbora {

// Exactly one of d choices is made (or, if so wanted, none may be), and the output is the value of what is chosen; the
// values of the others are free. Ports: d choices, their d values, the output, which is false where nothing is chosen.
// With words' heads as choices that is a path: k descends from h if and only if the head of k does. O(d) each.
class ChoiceFactor final : public HardFactor {
public:
    // Throws std::invalid_argument if the inputs of a factor are not two for each choice and one.
    ChoiceFactor(std::string kind, Wiring wiring, bool or_none);

    int choices(std::size_t factor) const { return (ports(factor) - 1) / 2; }

    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const override;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const override;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const override;
    void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const override;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const override;

private:
    template <class S>
    double beliefs_of(std::size_t factor, const double* in, double* beliefs, Arena& arena) const;

    double none_;  // the score of choosing nothing
};

}  // namespace arbora
