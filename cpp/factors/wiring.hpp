#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arbora {

// The variables of a graph. A binary variable has one *slot*, a number that is a log-odds: the score of true, that of
// false being 0. A categorical variable of g values has g slots in a row: log-scores, up to a common constant.
class Variables {
public:
    std::int32_t add_binary() { return add(1, false); }
    std::int32_t add_category(int values) { return add(values, true); }

    int count() const { return static_cast<int>(is_category_.size()); }
    int slots() const { return first_.back(); }
    int first(int variable) const { return first_[variable]; }
    int size(int variable) const { return first_[variable + 1] - first_[variable]; }
    bool is_category(int variable) const { return is_category_[variable]; }

private:
    std::int32_t add(int slots, bool is_category) {
        is_category_.push_back(is_category);
        first_.push_back(first_.back() + slots);
        return count() - 1;
    }

    std::vector<std::int32_t> first_{0};
    std::vector<char> is_category_;
};

// A variable as a factor sees it; only a binary one can be negated.
struct Input {
    std::int32_t variable;
    bool negated = false;

    bool operator==(const Input&) const = default;
};

// Which variables the factors of a group see. Each factor has inputs in the order that its kind prescribes. An input
// of a binary variable is one *port*, one of a category a port for each value; the ports of a factor are neighbours.
class Wiring {
public:
    // Throws std::invalid_argument for what is no variable, or a category that is negated.
    void add_factor(const Variables& variables, std::span<const Input> inputs);

    // Factors of two binary variables each, none negated: the variables of all, one pair after the other.
    static Wiring of_pairs(const Variables& variables, std::vector<std::int32_t> inputs);

    std::size_t factors() const { return factor_inputs_.size() - 1; }
    std::size_t ports() const { return slots_.size(); }
    std::size_t inputs() const { return variable_.size(); }

    std::size_t input_begin(std::size_t factor) const { return factor_inputs_[factor]; }
    std::size_t input_end(std::size_t factor) const { return factor_inputs_[factor + 1]; }
    int input_count(std::size_t factor) const { return static_cast<int>(input_end(factor) - input_begin(factor)); }

    // Of an input: the variable, and its first port. input_port(inputs()) == ports().
    int variable(std::size_t input) const { return variable_[input]; }
    bool is_category(std::size_t input) const { return is_category_[input]; }
    std::size_t input_port(std::size_t input) const { return input_ports_[input]; }
    int input_size(std::size_t input) const { return static_cast<int>(input_ports_[input + 1] - input_ports_[input]); }

    std::size_t port_begin(std::size_t factor) const { return input_ports_[factor_inputs_[factor]]; }
    std::size_t port_end(std::size_t factor) const { return input_ports_[factor_inputs_[factor + 1]]; }
    int port_count(std::size_t factor) const { return static_cast<int>(port_end(factor) - port_begin(factor)); }

    // Of a port: the slot behind it, and whether what comes through is negated.
    int slot(std::size_t port) const { return slots_[port]; }
    bool is_negated(std::size_t port) const { return negated_[port]; }
    bool has_negations() const { return has_negations_; }

    // What each input of a factor is if these of its ports (in ascending order) are active and no others: 0 or 1, or
    // the number of a category's value. False if a category has not exactly one.
    bool find_values(std::size_t factor, std::span<const int> active, int* values) const;

private:
    std::vector<std::size_t> factor_inputs_{0}, input_ports_{0};
    std::vector<std::int32_t> variable_, slots_;
    std::vector<char> is_category_, negated_;
    bool has_negations_ = false;
};

}  // namespace arbora
