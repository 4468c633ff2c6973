#pragma once
#include "solvers/message_state.hpp"

namespace arbora {

// Looks for a good assignment that satisfies all factors, by what the messages say.
//
// Factor after factor, the largest first and then its neighbours, is asked for its best configuration given what has
// been decided; that decides the variables it sees. So on a graph without cycles, and messages of max-product at rest,
// the result is a best assignment, whatever is tied. Where cycles lead to a conflict, the scores are moved towards what
// the factors in conflict want, and it starts again, a few times. At last single variables are changed while that is
// cheap and helps.
//
// Returns its value; -inf, and an empty assignment, if none was found.
double read_out(const MessageState& state, Assignment& assignment, Arena& arena);

}  // namespace arbora
