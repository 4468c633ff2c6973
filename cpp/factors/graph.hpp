#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "factors/factor_group.hpp"

namespace arbora {

// An assignment: 1 for every slot that is true, 0 for the others. A category has exactly one that is true.
using Assignment = std::vector<std::uint8_t>;

// Variables with their own (unary) scores and evidence, and groups of factors on them. A copy shares the groups, so
// that it is cheap to try the same graph with other evidence.
class FactorGraph {
public:
    // Return the variable. Scores may be -inf.
    int add_binary(double score);
    int add_category(const double* scores, int values);

    // The variable is known: true or false for a binary one, the number of its value for a category.
    void clamp(int variable, int value);
    void release(int variable);
    bool is_clamped(int variable) const { return evidence_[variable] >= 0; }
    int evidence(int variable) const { return evidence_[variable]; }

    // A group must have been made with this graph's variables.
    void add(std::shared_ptr<const FactorGroup> group) { groups_.push_back(std::move(group)); }

    const Variables& variables() const { return variables_; }
    int slots() const { return variables_.slots(); }
    const std::vector<std::shared_ptr<const FactorGroup>>& groups() const { return groups_; }

    // A slot's score as the user gave it.
    double score(int slot) const { return scores_[slot]; }
    void set_score(int slot, double score);
    // What an algorithm must take it to be: -inf and +inf where evidence decides.
    double unary(int slot) const { return unary_[slot]; }
    // The scores of the binary variables that evidence says are true: `unary` does not count them.
    double constant() const;

    // How many factors see a slot.
    std::vector<int> degrees() const;

    // The score of an assignment; -inf if it breaks a hard factor or the evidence.
    double value(const Assignment& assignment, Arena& arena) const;
    // The part of it that one factor gives.
    double factor_value(std::size_t group, std::size_t factor, const Assignment& assignment, Arena& arena) const;
    // The active ports of a factor under an assignment.
    static void active_ports(const FactorGroup& group, std::size_t factor, const Assignment& assignment,
                             std::vector<int>& active);

private:
    void set_unary(int variable);

    Variables variables_;
    std::vector<double> scores_, unary_;
    std::vector<int> evidence_;  // -1 where there is none
    std::vector<std::shared_ptr<const FactorGroup>> groups_;
};

}  // namespace arbora
