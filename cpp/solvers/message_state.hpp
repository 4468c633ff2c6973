#pragma once
#include <memory>
#include <vector>

#include "factors/graph.hpp"

namespace arbora {

// Which oracle makes the messages: sum-product or max-product.
enum class Oracle { sum, max };

// All messages of a graph and their totals while a schedule propagates them.
//
// After a group was propagated, what it had said to each slot is taken out of the totals and what it says now put in;
// `refresh` sums the totals anew, so that rounding does not pile up. A group's messages are kept as its `propagate`
// wants them, or, if `in_logarithms`, as oracles do, so that single factors can be propagated.
class MessageState {
public:
    // Scores are divided by the temperature. All messages are 0 at first.
    MessageState(const FactorGraph& graph, Oracle oracle, bool in_logarithms, double temperature = 1);

    const FactorGraph& graph() const { return *graph_; }
    std::size_t groups() const { return groups_.size(); }
    const FactorGroup& group(std::size_t index) const { return *groups_[index]; }
    double unary(int slot) const { return graph_->unary(slot) / temperature_; }
    const Totals& totals() const { return totals_; }

    // False once it is known that no assignment is possible.
    bool is_possible() const { return is_possible_; }

    // Whether some message was cut, because messages grow without end.
    bool is_cut() const;

    // New messages of all factors of a group; the totals stay.
    void propagate(std::size_t group, double damping, Arena& arena);
    // Brings the totals up to date with the group's messages; returns the largest change of what it says to a slot.
    double absorb(std::size_t group);
    // Sums the totals anew from what was absorbed.
    void refresh();

    // For messages in logarithms: new ones for one factor, and the totals with them. `changes` gets for each port how
    // much the message changed.
    void propagate_factor(std::size_t group, std::size_t factor, double damping, double* changes, Arena& arena);
    // The message of a port, as its slot sees it.
    double message(std::size_t group, std::size_t port) const {
        const double message = messages_[group][port];
        return groups_[group]->wiring().is_negated(port) ? -message : message;
    }
    // Sums the totals anew from all messages.
    void refresh_all();

    // FactorGroup::sum_all of a group.
    double sum_all(std::size_t group, double* parts, Arena& arena) const {
        const double* messages = messages_[group].data();
        return in_logarithms_ ? groups_[group]->sum_each(totals_, messages, parts, arena)
                              : groups_[group]->sum_all(totals_, messages, parts, arena);
    }
    const std::vector<int>& slots_seen(std::size_t group) const { return touched_[group]; }

    // The messages of a group in logarithms; `buffer` holds them if they are kept otherwise.
    const double* logarithms(std::size_t group, std::vector<double>& buffer) const;
    // Starts with the messages of another state of the same graph, multiplied; both are in logarithms.
    void start_from(const MessageState& other, double multiplier);

    // What a group had said and heard in another state of the same graph: its next propagation is the one of there.
    void restore(const MessageState& other, std::size_t group) {
        messages_[group] = other.messages_[group];
        totals_ = other.totals_;
    }

    // Time spent in the oracles of each group, and the number of calls.
    std::vector<double> seconds;
    std::vector<long long> calls;

private:
    // What a group says to each slot, into `scratch_`, which is empty before.
    void collect(std::size_t group);
    bool update(std::size_t group, std::size_t factor, double damping, Arena& arena);
    // Finite messages of these ports that are beyond largest_message_ become that.
    void cut(std::size_t group, std::size_t begin, std::size_t end);

    const FactorGraph* graph_;
    Oracle oracle_;
    bool in_logarithms_;
    double temperature_;
    std::vector<std::shared_ptr<const FactorGroup>> groups_;
    std::vector<std::vector<double>> messages_;
    // For each group: the slots that it sees, and what it says to each, as far as it was absorbed.
    std::vector<std::vector<int>> touched_;
    std::vector<std::vector<MessageSum>> said_;
    Totals totals_, scratch_;
    bool is_possible_;
    double largest_message_;
};

// How different two log-odds are: 0 if they are equal, 2 at most, relative where they are large.
double change(double before, double after);

}  // namespace arbora
