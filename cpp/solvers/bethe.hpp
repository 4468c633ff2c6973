#pragma once
#include "solvers/message_state.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

// The Bethe approximation of the log-partition, from the messages of sum-product:
//
//   sum over factors f of log Z_f(in_f)  +  sum over variables v of (1 - degree of v) log Z_v(total_v)
//
// where Z_v = 1 + e^total for a binary variable and the sum of e^total over the values of a category. It is stationary
// in the messages where they rest, and exact if the graph has no cycles. -inf if some factor has no possible
// configuration. Sets the beliefs of the parts of every group.
double bethe(const MessageState& state, std::vector<std::vector<double>>& parts, Arena& arena);

// The entropies of the beliefs of variables and of factors; `outcome` has the parts already.
void set_entropies(const MessageState& state, Outcome& outcome, Arena& arena);

// The probability of every slot from the totals. False, and nothing written, if a category has no possible value.
bool read_beliefs(const MessageState& state, std::vector<double>& beliefs);

// What is to be said when no assignment is possible: beliefs of 0, and -inf for all values.
void set_infeasible(const MessageState& state, Outcome& outcome);

}  // namespace arbora
