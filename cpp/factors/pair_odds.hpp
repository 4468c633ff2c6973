#pragma once
#include <cstdint>
#include <vector>

#include "factors/messages.hpp"
#include "factors/wiring.hpp"
#include "support/arena.hpp"

namespace arbora {

// Sum-product for many pairs of binary variables whose messages are odds. If b has the odds y by what all others say,
// then the pair with score s tells a the odds
//     (1 + y exp(s)) / (1 + y) = (r + B exp(s)) / (r + B),        y = B / r,
// B being the odds of b by all messages, and r the one to b that this pair sent before: one division a message, and no
// transcendental function but for one exponential and one logarithm a variable. A message lies between 1 and exp(s),
// so that nothing can overflow if scores are moderate; what is far from 0 would be cut off otherwise.
class PairOdds {
public:
    static bool suits(const std::vector<double>& scores);

    PairOdds(const Wiring& wiring, const std::vector<double>& scores);

    // FactorGroup::propagate; damping needs powers, and takes its time.
    void propagate(const Totals& totals, double damping, double* messages, Arena& arena) const;
    // FactorGroup::sum_all.
    double sum_all(const Totals& totals, const double* messages, double* parts, Arena& arena) const;
    // FactorGroup::add_messages.
    void add_messages(const double* messages, Totals& totals) const;

private:
    // A variable or its negation: what ports see.
    struct Literal {
        std::int32_t slot;
        bool negated;
    };

    // The odds of every literal by all messages.
    double* find_odds(const Totals& totals, Arena& arena) const;
    double meant(const Literal& literal, const Totals& totals) const {
        return literal.negated ? -totals(literal.slot) : totals(literal.slot);
    }

    std::vector<double> gains_;                 // exp(score) of each pair
    std::vector<Literal> literals_;             // all that are seen
    std::vector<std::int32_t> literal_;         // of each port, an index of literals_
    std::vector<std::int32_t> begins_, ports_;  // the ports of each literal
};

}  // namespace arbora
