#pragma once
#include <string>
#include <vector>

#include "trees/scores.hpp"

namespace arbora {

// The tokens that can be the single root: those from which every token can be reached without the root. In any
// single-root tree the root arc enters one of them, and their heads are among them (or the root), so they and the
// rest separate. Empty if there are none.
std::vector<char> root_candidates(ArcScores scores);

// Whether every token can be reached from the root.
bool all_reachable(ArcScores scores);

// No tree exists, and one token is the reason.
class InfeasibleToken : public Infeasible {
public:
    InfeasibleToken(int token, const std::string& message) : Infeasible(message), token(token) {}
    int token;
};

// Throws Infeasible: why there is no tree, in words that name the tokens.
[[noreturn]] void throw_infeasible(ArcScores scores, bool single_root);

// "3", "3 and 5", "3, 5 and 7", and so on, cut after ten.
std::string list_tokens(const std::vector<int>& tokens);

}  // namespace arbora
