// The network at work: probabilities of derivations, and their gradients.
#pragma once
#include <span>
#include <vector>

#include "isbn/configuration.hpp"
#include "isbn/mean_field.hpp"
#include "isbn/shape.hpp"

namespace arbora::isbn {

enum class Inference {
    feed_forward,  // means follow from what came before alone: equations 4 and 5
    mean_field,    // after every elementary decision, those of the current state are found anew: section 3.3
};

struct Network {
    const Shape& shape;
    const double* weights;
    Inference inference;

    // The choices that a decision is made of, one after the other; `legal` are the actions that could follow. At most 3.
    int choices_of(const Decision& decision, unsigned legal, Choice* result) const;
    Choice action_choice(unsigned legal) const;
    Choice label_choice() const;
    Choice tag_choice() const;
    Choice word_choice(int tag) const;

    // The sums that a state's variables get from all that they are linked to (equation 4): states by number, -1 being
    // none, whose means are `width` numbers each.
    void add_inputs(const Derivations& derivations, const Configuration& configuration, const double* means,
                    double* eta) const;
};

// A derivation with all that was found of it, for gradients: for every decision a state.
class DerivationPass {
public:
    explicit DerivationPass(const Shape& shape) : derivations_(shape) {}

    // The logarithm of the derivation's probability. Throws std::invalid_argument if it is not legal.
    double run_forward(const Network& network, std::span<const Decision> decisions);
    // Adds the gradient of that, times `factor`, to an array like that of the weights.
    void add_gradient(const Network& network, double factor, double* gradient);

private:
    struct State {
        int choice_count;
        Choice choices[3];
        // By relation: the state that is linked (or -1), the row of what is visible.
        std::vector<int> states, inputs;
    };
    // Means of a state after so many choices: those before the first, then one row after each.
    double* means_after(std::size_t state, int choices) {
        return means_.data() + (state * 4 + choices) * static_cast<std::size_t>(width_);
    }
    void add_choice_gradient(const Choice& choice, const double* means, const double* solved, double factor,
                             double* gradient, const double* weights, const Shape& shape);

    Derivations derivations_;
    int width_ = 0;
    std::size_t count_ = 0;
    std::vector<State> states_;
    std::vector<double> means_;       // states x 4 x width
    std::vector<double> last_means_;  // states x width: what later states see
    std::vector<double> eta_, logits_, given_, solved_, probabilities_, scores_, eta_gradient_;
    MeanFieldScratch scratch_;
};

}  // namespace arbora::isbn
