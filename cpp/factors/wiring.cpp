#include "factors/wiring.hpp"

#include <numeric>
#include <stdexcept>

namespace arbora {

void Wiring::add_factor(const Variables& variables, std::span<const Input> inputs) {
    for (const Input& input : inputs) {
        if (input.variable < 0 || input.variable >= variables.count())
            throw std::invalid_argument("there is no such variable");
        if (input.negated && variables.is_category(input.variable))
            throw std::invalid_argument("only a binary variable can be negated");
    }
    for (const Input& input : inputs) {
        variable_.push_back(input.variable);
        is_category_.push_back(variables.is_category(input.variable));
        for (int i = 0; i < variables.size(input.variable); ++i) {
            slots_.push_back(variables.first(input.variable) + i);
            negated_.push_back(input.negated);
        }
        input_ports_.push_back(slots_.size());
        has_negations_ |= input.negated;
    }
    factor_inputs_.push_back(variable_.size());
}

Wiring Wiring::of_pairs(const Variables& variables, std::vector<std::int32_t> inputs) {
    Wiring result;
    if (inputs.size() % 2) throw std::invalid_argument("pairs have two variables each");
    for (std::int32_t variable : inputs)
        if (variable < 0 || variable >= variables.count() || variables.is_category(variable))
            throw std::invalid_argument("there is no such binary variable");
    result.factor_inputs_.resize(inputs.size() / 2 + 1);
    for (std::size_t f = 0; f < result.factor_inputs_.size(); ++f) result.factor_inputs_[f] = 2 * f;
    result.input_ports_.resize(inputs.size() + 1);
    std::iota(result.input_ports_.begin(), result.input_ports_.end(), std::size_t{0});
    result.slots_.resize(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) result.slots_[i] = variables.first(inputs[i]);
    result.is_category_.assign(inputs.size(), 0);
    result.negated_.assign(inputs.size(), 0);
    result.variable_ = std::move(inputs);
    return result;
}

bool Wiring::find_values(std::size_t factor, std::span<const int> active, int* values) const {
    std::size_t next = 0;
    for (std::size_t input = input_begin(factor); input < input_end(factor); ++input, ++values) {
        const int first = static_cast<int>(input_port(input) - port_begin(factor)), last = first + input_size(input);
        int count = 0;
        for (; next < active.size() && active[next] < last; ++next, ++count) *values = active[next] - first;
        if (!is_category(input))
            *values = count;
        else if (count != 1)
            return false;
    }
    return true;
}

}  // namespace arbora
