#pragma once
#include <vector>

#include "solvers/decoding.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

// The best assignment that was found so far, and the candidates that it is found among. A candidate is kept from one
// to the next with what each factor gives for it, so that only what changes is scored again.
class Incumbent {
public:
    // `derive`: what candidates are completed by; may be null.
    explicit Incumbent(const Copies& copies, Derivation derive = nullptr);

    // -inf if there is none yet.
    double value() const { return value_; }
    const Assignment& assignment() const { return assignment_; }

    // What the structures found, and for variables that none sees what most copies say.
    void consider(const Decoding& decoding);
    // What a relaxation found, rounded.
    void consider(const std::vector<double>& beliefs);
    // By `complete` from the candidate: where that was impossible, a way to one that is not.
    void repair(const std::vector<double>& preferences);
    // Changes single variables of it where that helps, for want of something better.
    void improve();
    bool is_candidate_possible() const { return impossible_ == 0; }

private:
    void decide(int variable, const Decoding& decoding);
    void set_value(int variable, int true_slot);
    void set(int slot, bool is_true);
    void derive();
    void evaluate();
    void keep(const Assignment& assignment);

    const Copies& copies_;
    const Derivation derive_;
    Assignment candidate_, assignment_;
    std::vector<double> factor_scores_;
    std::vector<char> is_stale_;
    std::vector<int> stale_, active_;
    double unary_ = 0, factors_ = 0, value_ = -std::numeric_limits<double>::infinity();
    int impossible_ = 0;  // how many slots and factors forbid the candidate
    bool has_decided_ = false;
    Arena arena_;
};

// Of every part of every group, how often the assignment has it.
std::vector<std::vector<double>> parts_of(const FactorGraph& graph, const Assignment& assignment, Arena& arena);

}  // namespace arbora
