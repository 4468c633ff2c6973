#pragma once
#include "parsing/graph_solving.hpp"
#include "parsing/losses.hpp"

namespace arbora {

// The loss family over trees with parts (losses.hpp): for beta = inf by a solver that maximises, else by belief
// propagation, whose log-partition is that of Bethe, or by an exact chart (sums_exactly). Returns the loss and fills the
// gradient. Tags take a finite beta, and cost nothing; where they are hidden, those of the gold tree are summed out
// exactly, which a chain of tags does not allow. Over an outer set (OuterSet) it is no less than over trees. Throws
// Infeasible.
double graph_loss(const Candidates& candidates, const SentenceParts& parts, GoldTree gold, LossFamily family,
                  TreeKind kind, const GraphOptions& options, ScoreGradient& gradient);

}  // namespace arbora
