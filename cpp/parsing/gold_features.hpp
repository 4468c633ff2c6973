#pragma once
#include <cstdint>
#include <vector>

#include "parsing/training.hpp"

namespace arbora {

// Lets the learner change the features of these gold trees only: the supported ones.
void support(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
             const std::vector<std::size_t>& sentences);

// How many different features of arcs and parts (not of labels) the gold trees have, and how many all candidate arcs
// and all parts over them: Martins et al. 2010, table 2.
struct FeatureCounts {
    std::size_t supported = 0, complete = 0;
};
FeatureCounts count_features(const LinearModel& model, const Encoded& encoded, GoldTrees gold,
                             const std::vector<std::vector<Arc>>& arcs);

// Gives the features of hidden roles and tags in these gold trees small random weights that depend on the seed only: what
// is alike at first would stay so forever.
void break_symmetry(const LinearModel& model, OnlineLearner& learner, const Encoded& encoded, GoldTrees gold,
                    std::uint64_t seed);

// For every template of a section, the sum of the squared weights of its features in the gold trees; `labels` is how many
// labels there are, or hidden roles, tags or pairs of tags, all of which count then.
std::vector<double> template_masses(const Templates& templates, Section section, int labels, ShortWeights weights,
                                    const Encoded& encoded, GoldTrees gold);

}  // namespace arbora
