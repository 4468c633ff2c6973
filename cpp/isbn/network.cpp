#include "isbn/network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "isbn/vectors.hpp"

namespace arbora::isbn {

Choice Network::action_choice(unsigned legal) const {
    return {weights + shape.decision_weights_at(), weights + shape.decision_biases_at(), action_count, 0, legal};
}

namespace {

Choice choice_of_rows(const Network& network, int first, int count) {
    const Shape& shape = network.shape;
    return {network.weights + shape.decision_weights_at() + static_cast<std::size_t>(first) * shape.width,
            network.weights + shape.decision_biases_at() + first, count, 0};
}

}  // namespace

Choice Network::label_choice() const { return choice_of_rows(*this, shape.first_label(), shape.labels); }

Choice Network::tag_choice() const { return choice_of_rows(*this, shape.first_tag(), shape.tags); }

Choice Network::word_choice(int tag) const {
    const int begin = shape.word_begins[tag], end = shape.word_begins[tag + 1];
    return choice_of_rows(*this, shape.first_word() + begin, end - begin);
}

int Network::choices_of(const Decision& decision, unsigned legal, Choice* result) const {
    int count = 0;
    const auto add = [&](Choice choice, int chosen) {
        choice.chosen = chosen;
        result[count++] = choice;
    };
    add(action_choice(legal), decision.action);
    if (decision.action == project) add(label_choice(), decision.label);
    if (decision.action == shift) {
        add(tag_choice(), decision.tag);
        add(word_choice(decision.tag), decision.word - shape.word_begins[decision.tag]);
    }
    return count;
}

void Network::add_inputs(const Derivations& derivations, const Configuration& configuration, const double* means,
                         double* eta) const {
    const int width = shape.width;
    std::copy_n(weights + shape.bias_at(), width, eta);
    for (std::size_t r = 0; r < shape.state_relations.size(); ++r) {
        const int state = derivations.related_state(configuration, shape.state_relations[r]);
        if (state < 0) continue;
        const double* matrix = weights + shape.state_weights_at(static_cast<int>(r));
        add_rows(matrix, means + static_cast<std::size_t>(state) * width, width, width, eta);
    }
    for (std::size_t r = 0; r < shape.input_relations.size(); ++r) {
        const int value = derivations.input(configuration, shape.input_relations[r]);
        const double* row =
            weights + shape.input_weights_at(static_cast<int>(r)) + static_cast<std::size_t>(value) * width;
        add_multiple(1, row, width, eta);
    }
}

double DerivationPass::run_forward(const Network& network, std::span<const Decision> decisions) {
    const Shape& shape = network.shape;
    width_ = shape.width;
    count_ = decisions.size();
    const auto width = static_cast<std::size_t>(width_);
    means_.resize(count_ * 4 * width);
    last_means_.resize(count_ * width);
    eta_.resize(width);
    logits_.resize(width);
    probabilities_.resize(shape.decisions());
    if (states_.size() < count_) states_.resize(count_);
    Configuration at = derivations_.start();
    double total = 0;
    for (std::size_t t = 0; t < count_; ++t) {
        State& state = states_[t];
        const unsigned legal = derivations_.legal_actions(at);
        if (!(legal >> decisions[t].action & 1)) throw std::invalid_argument("a decision is not legal");
        state.choice_count = network.choices_of(decisions[t], legal, state.choices);
        state.states.clear();
        for (Place place : shape.state_relations) state.states.push_back(derivations_.related_state(at, place));
        state.inputs.clear();
        for (InputRelation relation : shape.input_relations) state.inputs.push_back(derivations_.input(at, relation));
        network.add_inputs(derivations_, at, last_means_.data(), eta_.data());
        logits_ = eta_;
        squash(eta_.data(), width_, means_after(t, 0));
        for (int k = 0; k < state.choice_count; ++k) {
            const Choice& choice = state.choices[k];
            const double* means = means_after(t, k);
            const double sum = probabilities(choice, means, width_, probabilities_.data());
            total += choice.biases[choice.chosen] - sum +
                     dot_product(choice.rows + static_cast<std::size_t>(choice.chosen) * width, means, width_);
            std::copy_n(means, width_, means_after(t, k + 1));
            if (network.inference == Inference::mean_field)
                maximise({state.choices, static_cast<std::size_t>(k) + 1}, eta_.data(), width_, Ascent::newton,
                         logits_.data(), means_after(t, k + 1), scratch_);
        }
        std::copy_n(means_after(t, state.choice_count), width_, last_means_.data() + t * width);
        at = derivations_.apply(at, decisions[t], static_cast<int>(t));
    }
    return total;
}

// Of log q(chosen) with respect to the choice's weights, and through them of the means that were solved for:
// d/dW of solved . (W[d] - E[W]).
void DerivationPass::add_choice_gradient(const Choice& choice, const double* means, const double* solved, double factor,
                                         double* gradient, const double* weights, const Shape& shape) {
    const std::ptrdiff_t row = choice.rows - (weights + shape.decision_weights_at());
    double* rows = gradient + shape.decision_weights_at() + row;
    double* biases = gradient + shape.decision_biases_at() + row / width_;
    double* p = probabilities_.data();
    probabilities(choice, means, width_, p);
    scores_.resize(std::max<std::size_t>(scores_.size(), 2 * static_cast<std::size_t>(choice.count)));
    double *along_means = scores_.data(), *along_solved = along_means + choice.count;
    if (!solved) {  // of log q itself: (1[d] - p) times the means
        for (int r = 0; r < choice.count; ++r) along_means[r] = -factor * p[r];
        along_means[choice.chosen] += factor;
    } else {
        multiply_rows(choice.rows, nullptr, choice.count, width_, solved, along_means);
        const double mean = dot_product(p, along_means, choice.count);
        for (int r = 0; r < choice.count; ++r) {
            along_means[r] = -p[r] * (along_means[r] - mean);
            along_solved[r] = -p[r];
        }
        along_solved[choice.chosen] += 1;
        add_to_rows(along_solved, choice.count, width_, solved, rows);
    }
    add_to_rows(along_means, choice.count, width_, means, rows);
    for (int r = 0; r < choice.count; ++r) biases[r] += along_means[r];
}

void DerivationPass::add_gradient(const Network& network, double factor, double* gradient) {
    const Shape& shape = network.shape;
    const auto width = static_cast<std::size_t>(width_);
    const bool is_mean_field = network.inference == Inference::mean_field;
    given_.assign(count_ * width, 0.0);  // what later states say of the last means
    solved_.resize(width);
    eta_gradient_.resize(width);
    std::vector<double>& wanted = eta_;
    for (std::size_t t = count_; t-- > 0;) {
        State& state = states_[t];
        std::fill(eta_gradient_.begin(), eta_gradient_.end(), 0.0);
        for (int k = state.choice_count; k >= 0; --k) {
            // Means after k choices: the next choice was made by them; after the last, later states see them.
            if (k == state.choice_count)
                std::copy_n(given_.data() + t * width, width, wanted.begin());
            else
                std::fill(wanted.begin(), wanted.end(), 0.0);
            const double* means = means_after(t, k);
            if (k < state.choice_count) {
                const Choice& choice = state.choices[k];
                add_choice_gradient(choice, means, nullptr, factor, gradient, network.weights, shape);
                add_rows(choice.rows, scores_.data(), choice.count, width_, wanted.data());
            }
            const std::span<const Choice> before{state.choices, is_mean_field ? static_cast<std::size_t>(k) : 0};
            solve_hessian(before, width_, means, wanted.data(), solved_.data(), scratch_);
            add_multiple(1, solved_.data(), width_, eta_gradient_.data());
            for (const Choice& choice : before)
                add_choice_gradient(choice, means, solved_.data(), factor, gradient, network.weights, shape);
        }
        const double* g = eta_gradient_.data();
        add_multiple(1, g, width_, gradient + shape.bias_at());
        for (std::size_t r = 0; r < state.states.size(); ++r) {
            if (state.states[r] < 0) continue;
            const std::size_t from = static_cast<std::size_t>(state.states[r]) * width;
            const std::size_t place = shape.state_weights_at(static_cast<int>(r));
            add_to_rows(last_means_.data() + from, width_, width_, g, gradient + place);
            multiply_rows(network.weights + place, nullptr, width_, width_, g, solved_.data());
            add_multiple(1, solved_.data(), width_, given_.data() + from);
        }
        for (std::size_t r = 0; r < state.inputs.size(); ++r)
            add_multiple(1, g, width_,
                         gradient + shape.input_weights_at(static_cast<int>(r)) +
                             static_cast<std::size_t>(state.inputs[r]) * width);
    }
}

}  // namespace arbora::isbn
