#include "isbn/beam.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <span>

#include "isbn/vectors.hpp"
#include "support/interruption.hpp"

namespace arbora::isbn {
namespace {

class Beam {
public:
    Beam(const Network& network, const std::vector<int>& tags, const std::vector<int>& words,
         const BeamOptions& options)
        : network_(network),
          shape_(network.shape),
          width_(network.shape.width),
          tags_(tags),
          words_(words),
          options_(options),
          derivations_(network.shape),
          probabilities_(network.shape.decisions()),
          means_(width_),
          logits_(width_) {}

    std::vector<BeamParse> run() {
        hypotheses_.push_back({});
        std::vector<int> kept{0};
        for (std::size_t word = 0; word <= tags_.size(); ++word) {
            next_word_ = word;
            kept = extended(kept);
        }
        std::vector<BeamParse> result;
        for (int found : kept) {
            BeamParse parse{{}, hypotheses_[found].score};
            for (int at = found; hypotheses_[at].parent >= 0; at = hypotheses_[at].parent)
                parse.decisions.push_back(hypotheses_[at].decision);
            std::reverse(parse.decisions.begin(), parse.decisions.end());
            result.push_back(std::move(parse));
        }
        return result;
    }

private:
    // A derivation up to a decision. What takes time is found when it is its turn: the configuration after the decision,
    // the means that the decision leaves, and the sums of the next state.
    struct Hypothesis {
        int parent = -1;
        Decision decision;
        double score = 0;
        bool is_partial = false;  // the action is decided, not yet the label or the word
        unsigned legal = 0;
        Configuration at;
    };

    bool is_last() const { return next_word_ == tags_.size(); }
    double* eta(int hypothesis) { return eta_.data() + static_cast<std::size_t>(hypothesis) * width_; }
    // The means that the decision before this hypothesis left; states are numbered like hypotheses.
    double* means(int hypothesis) { return states_.data() + static_cast<std::size_t>(hypothesis) * width_; }

    int add(const Hypothesis& hypothesis) {
        hypotheses_.push_back(hypothesis);
        return static_cast<int>(hypotheses_.size()) - 1;
    }

    // The means of a parent's state after some of a decision's choices.
    void means_of(int parent, const Decision& decision, int choices, double* result) {
        Choice list[3];
        network_.choices_of(decision, hypotheses_[parent].legal, list);
        if (network_.inference == Inference::feed_forward) {
            squash(eta(parent), width_, result);
            return;
        }
        std::copy_n(eta(parent), width_, logits_.begin());
        maximise({list, static_cast<std::size_t>(choices)}, eta(parent), width_, Ascent::newton, logits_.data(), result,
                 scratch_);
    }

    // Sets up the state after a hypothesis.
    void visit(int number) {
        const std::size_t room = hypotheses_.size() * static_cast<std::size_t>(width_);
        if (eta_.size() < room) {
            eta_.resize(2 * room);
            states_.resize(2 * room);
        }
        Hypothesis& own = hypotheses_[number];
        if (own.parent < 0) {
            own.at = derivations_.start();
        } else {
            const int choices = own.decision.action == shift ? 3 : own.decision.action == project ? 2 : 1;
            means_of(own.parent, own.decision, choices, means(number));
            own.at = derivations_.apply(hypotheses_[own.parent].at, own.decision, number);
        }
        own.legal = derivations_.legal_actions(own.at);
        network_.add_inputs(derivations_, own.at, states_.data(), eta(number));
    }

    // Whether an action fits to how many words there are.
    bool can_follow(const Hypothesis& own, int action) const {
        if (!(own.legal >> action & 1)) return false;
        if (action == shift) return !is_last();
        if (action == end) return is_last();
        if (action == project && is_last()) return derivations_.top(own.at).chain < shape_.longest_chain;
        if (action == attach && !shape_.root_takes_many && !is_last()) {
            const int below = derivations_.at(own.at, Place::below);
            return derivations_.node(below).symbol != shape_.root_symbol();
        }
        return true;
    }

    void push(int number) { agenda_.push({hypotheses_[number].score, -number}); }

    void follow_actions(int number) {
        visit(number);
        squash(eta(number), width_, means_.data());
        probabilities(network_.action_choice(hypotheses_[number].legal), means_.data(), width_, probabilities_.data());
        for (int action = 0; action < action_count; ++action) {
            if (!can_follow(hypotheses_[number], action)) continue;
            Hypothesis next;
            next.parent = number;
            next.decision.action = action;
            next.score = hypotheses_[number].score + std::log(probabilities_[action]);
            next.is_partial = action == project || action == shift;
            push(add(next));
        }
    }

    void follow_labels(int number) {
        const Hypothesis own = hypotheses_[number];
        Decision decision = own.decision;
        decision.label = 0;
        means_of(own.parent, decision, 1, means_.data());
        probabilities(network_.label_choice(), means_.data(), width_, probabilities_.data());
        order_.resize(shape_.labels);
        std::iota(order_.begin(), order_.end(), 0);
        const int count = std::min(options_.branching, shape_.labels);
        std::partial_sort(order_.begin(), order_.begin() + count, order_.end(), [&](int a, int b) {
            return probabilities_[a] > probabilities_[b] || (probabilities_[a] == probabilities_[b] && a < b);
        });
        for (int k = 0; k < count; ++k) {
            decision.label = order_[k];
            Hypothesis next;
            next.parent = own.parent;
            next.decision = decision;
            next.score = own.score + std::log(probabilities_[order_[k]]);
            push(add(next));
        }
    }

    // The score with the tag and the word that come next.
    int shifted(int number) {
        Hypothesis own = hypotheses_[number];
        own.is_partial = false;
        own.decision.tag = tags_[next_word_];
        own.decision.word = words_[next_word_];
        means_of(own.parent, own.decision, 1, means_.data());
        probabilities(network_.tag_choice(), means_.data(), width_, probabilities_.data());
        own.score += std::log(probabilities_[own.decision.tag]);
        means_of(own.parent, own.decision, 2, means_.data());
        probabilities(network_.word_choice(own.decision.tag), means_.data(), width_, probabilities_.data());
        own.score += std::log(probabilities_[own.decision.word - shape_.word_begins[own.decision.tag]]);
        return add(own);
    }

    // From derivations that end with a word (or nothing) to those that end with the next word, or with the whole tree.
    std::vector<int> extended(const std::vector<int>& from) {
        agenda_ = {};
        for (int number : from) push(number);
        std::vector<int> reached;
        const std::size_t most = is_last() ? options_.beam : options_.candidates;
        for (int step = 0; !agenda_.empty() && reached.size() < most; ++step) {
            Interruption::heed();
            if (step >= options_.most_steps && !reached.empty()) break;
            const int number = -agenda_.top().second;
            agenda_.pop();
            const Hypothesis& own = hypotheses_[number];
            if (own.decision.action == end)
                reached.push_back(number);
            else if (!own.is_partial)
                follow_actions(number);
            else if (own.decision.action == project)
                follow_labels(number);
            else
                reached.push_back(number);
        }
        if (is_last()) return reached;
        for (int& number : reached) number = shifted(number);
        std::stable_sort(reached.begin(), reached.end(),
                         [&](int a, int b) { return hypotheses_[a].score > hypotheses_[b].score; });
        if (reached.size() > static_cast<std::size_t>(options_.beam)) reached.resize(options_.beam);
        return reached;
    }

    const Network& network_;
    const Shape& shape_;
    int width_;
    const std::vector<int>&tags_, &words_;
    BeamOptions options_;
    Derivations derivations_;
    std::vector<Hypothesis> hypotheses_;
    std::priority_queue<std::pair<double, int>> agenda_;  // score, then the earlier one
    std::vector<double> eta_, states_, probabilities_, means_, logits_;
    std::vector<int> order_;
    std::size_t next_word_ = 0;
    MeanFieldScratch scratch_;
};

}  // namespace

std::vector<BeamParse> parse_by_beam(const Network& network, const std::vector<int>& tags,
                                     const std::vector<int>& words, const BeamOptions& options) {
    return Beam(network, tags, words, options).run();
}

}  // namespace arbora::isbn
