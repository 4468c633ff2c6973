#pragma once
#include <vector>

#include "solvers/copies.hpp"

namespace arbora {

// An assignment that satisfies all factors, if one is found, and tends to what is preferred: `preferences` has a
// log-odds for each slot. The factors decide in turn, by `best`, what none before them has decided: structures first,
// then always a factor with few variables left to decide. A factor that finds itself without a choice begins the next
// attempt. False if no attempt succeeds, which does not say that there is no such assignment.
bool complete(const Copies& copies, const std::vector<double>& preferences, Assignment& assignment, Arena& arena);

}  // namespace arbora
