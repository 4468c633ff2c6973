#include "factors/wiring.hpp"

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

}  // namespace arbora
