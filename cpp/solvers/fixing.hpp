#pragma once
#include <vector>

#include "solvers/ad3.hpp"

namespace arbora {

// A slot is true or false. A category whose slot is true is known, one whose slot is false has a value less.
struct Decision {
    int slot;
    bool is_true;
};

// The graph with decisions made.
FactorGraph decided(const FactorGraph& graph, const std::vector<Decision>& decisions);

// Whether evidence and impossible scores leave a variable no more than one value.
bool is_decided(const FactorGraph& graph, int variable);

// What every assignment with a value above `least` has in common, as far as the multipliers tell (reduced costs): by
// them, all factors together bound all values, and a slot that is true takes from that bound what each factor that sees
// it has to lose by it,
//
//     bound(x_s = true) = bound - sum over the copies of s of max(0, best with it false - best with it true)
//
// so where this is not above `least`, the slot is false; and the other way round. One call of `max` for each factor.
std::vector<Decision> find_fixed(const FactorGraph& graph, const Multipliers& multipliers, double least);

}  // namespace arbora
