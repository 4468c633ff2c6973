#pragma once
#include "parsing/array_scorer.hpp"
#include "parsing/sentence_loss.hpp"

namespace arbora {

// The loss of one sentence whose scores are arrays, over trees and over labels that follow them; adds its gradient to the
// arrays. Gold tags, if they are observed, are numbers of tags. Throws Infeasible if what is gold is impossible.
double differentiate(const ArrayScorer& scorer, std::size_t sentence, GoldTree gold, const LossOptions& options,
                     const ScoreArrays<double>& gradient);

}  // namespace arbora
