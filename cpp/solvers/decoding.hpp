#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solvers/copies.hpp"
#include "solvers/outcome.hpp"

namespace arbora {

// Every factor solved on its own by `best`, with numbers for its own copies. As long as the numbers of the copies of a
// slot sum to its unary score, the sum of what the factors find is an upper bound of the value of every assignment;
// and where all copies agree, they are an assignment that attains it.
class Decoding {
public:
    // `in`: a number for each copy, as its port sees it.
    Decoding(const Copies& copies, std::vector<double> in);

    // Adds to what a copy's factor gets if the slot is true.
    void add(int port, double change) {
        in_[port] += copies_.as_port_sees(port, change);
        mark(copies_.factor_of(port));
    }
    // Replaces the number of a copy, as its port sees it.
    void set(int port, double in) {
        if (in_[port] == in) return;
        in_[port] = in;
        mark(copies_.factor_of(port));
    }
    double in(int port) const { return in_[port]; }
    const std::vector<double>& all_in() const { return in_; }

    // Solves again every factor whose numbers have changed, or all if it is not to be `lazy`, and counts that. False if
    // some factor cannot be satisfied.
    bool solve(bool lazy, Outcome& outcome);

    // Called with a factor and its active ports before these change.
    void when_changing(std::function<void(int, const std::vector<int>&)> call) { when_changing_ = std::move(call); }
    const std::vector<int>& active(int factor) const { return configurations_[factor].active; }

    // What all factors found together.
    double total() const { return total_; }

    // Whether a slot is true in a copy, and in how many of its copies.
    bool is_true(int port) const { return is_true_[port]; }
    int count_true(int slot) const { return count_true_[slot]; }
    double mean(int slot) const { return static_cast<double>(count_true_[slot]) / copies_.degree(slot); }

    // Slots whose copies do not agree; those of which some copy changed when factors were last solved, which can be
    // the same twice.
    std::span<const int> disagreeing() const { return disagreeing_; }
    std::span<const int> touched() const { return touched_; }

private:
    void mark(int factor) { dirty_[factor / 64] |= std::uint64_t{1} << (factor % 64); }
    bool solve_factor(int factor);
    void change_copies(int factor, const std::vector<int>& before, const std::vector<int>& after);
    void flip(int port);
    void update_disagreement(int slot);

    const Copies& copies_;
    std::vector<double> in_, found_;  // found_: by factor
    std::vector<Configuration> configurations_;
    Configuration fresh_;
    std::vector<std::uint64_t> dirty_;
    std::vector<char> is_true_;
    std::vector<int> count_true_, disagreeing_, place_, touched_;  // place_: of a slot in disagreeing_, -1 if it agrees
    double total_ = 0;
    int solved_since_sum_ = 0;
    std::function<void(int, const std::vector<int>&)> when_changing_;
    Arena arena_;
};

}  // namespace arbora
