#include "solvers/message_state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "support/interruption.hpp"
#include "support/limits.hpp"

namespace arbora {
namespace {

// Adds the time until its end to a sum.
class Stopwatch {
public:
    explicit Stopwatch(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
    ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& seconds_;
    std::chrono::steady_clock::time_point start_;
};

// Messages of a graph with loops may grow without end, in each iteration some times over. They are cut where they are so
// many times the largest score, before sums of them leave no digits for the scores.
constexpr double longest_growth = 1e10;

double largest_score_of(const FactorGraph& graph) {
    double largest = 0;
    for (int slot = 0; slot < graph.slots(); ++slot)
        if (std::isfinite(graph.unary(slot))) largest = std::max(largest, std::abs(graph.unary(slot)));
    for (const auto& group : graph.groups()) largest = std::max(largest, group->largest_score());
    return largest;
}

std::vector<int> find_slots(const FactorGroup& group, int slots) {
    std::vector<char> is_seen(slots, 0);
    for (std::size_t port = 0; port < group.wiring().ports(); ++port) is_seen[group.wiring().slot(port)] = 1;
    std::vector<int> result;
    for (int slot = 0; slot < slots; ++slot)
        if (is_seen[slot]) result.push_back(slot);
    return result;
}

}  // namespace

double change(double before, double after) {
    if (before == after) return 0;
    if (std::isinf(before) || std::isinf(after)) return 2;
    return std::abs(after - before) / std::max({1.0, std::abs(before), std::abs(after)});
}

MessageState::MessageState(const FactorGraph& graph, Oracle oracle, bool in_logarithms, double temperature)
    : seconds(graph.groups().size(), 0.0),
      calls(graph.groups().size(), 0),
      graph_(&graph),
      oracle_(oracle),
      in_logarithms_(in_logarithms || oracle == Oracle::max),
      temperature_(temperature),
      totals_(graph.slots()),
      scratch_(graph.slots()),
      is_possible_(graph.constant() != -INFINITY) {
    for (const auto& group : graph.groups()) {
        auto scaled = temperature == 1 ? nullptr : group->scaled(1 / temperature);
        groups_.push_back(scaled ? std::move(scaled) : group);
        const bool has_odds = group->has_odds() && !in_logarithms_;
        messages_.emplace_back(group->wiring().ports(), has_odds ? 1.0 : 0.0);
        touched_.push_back(find_slots(*group, graph.slots()));
        said_.emplace_back(touched_.back().size());
    }
    largest_message_ = longest_growth * std::max(1.0, largest_score_of(graph) / temperature);
    refresh();
}

bool MessageState::is_cut() const {
    const double near = 0.99 * largest_message_;  // damped messages may only come near it
    for (std::size_t group = 0; group < groups(); ++group) {
        const bool are_odds = groups_[group]->has_odds() && !in_logarithms_;
        if (!are_odds && any_beyond(messages_[group].data(), messages_[group].size(), near)) return true;
    }
    return false;
}

void MessageState::cut(std::size_t group, std::size_t begin, std::size_t end) {
    double* messages = messages_[group].data();
    if (!any_beyond(messages + begin, end - begin, largest_message_)) return;
    for (std::size_t port = begin; port < end; ++port)
        if (!std::isinf(messages[port]))
            messages[port] = std::clamp(messages[port], -largest_message_, largest_message_);
}

void MessageState::propagate(std::size_t group, double damping, Arena& arena) {
    Interruption::heed();
    const Stopwatch stopwatch(seconds[group]);
    const FactorGroup& factors = *groups_[group];
    calls[group] += static_cast<long long>(factors.size());
    if (!in_logarithms_) {
        is_possible_ &= factors.propagate(totals_, damping, messages_[group].data(), arena);
        if (!factors.has_odds()) cut(group, 0, messages_[group].size());
        return;
    }
    for (std::size_t factor = 0; factor < factors.size(); ++factor) {
        Interruption::heed();
        is_possible_ &= update(group, factor, damping, arena);
    }
}

bool MessageState::update(std::size_t group, std::size_t factor, double damping, Arena& arena) {
    const FactorGroup& factors = *groups_[group];
    const Arena::Frame frame(arena);
    const int ports = factors.wiring().port_count(factor);
    double* in = arena.take<double>(ports);
    double* beliefs = arena.take<double>(ports);
    factors.gather(factor, totals_, messages_[group].data(), in);
    const double value = oracle_ == Oracle::sum ? factors.sum(factor, in, beliefs, nullptr, arena)
                                                : factors.max(factor, in, beliefs, arena);
    if (value == -INFINITY) return false;
    factors.set_messages(factor, in, beliefs, damping, messages_[group].data());
    cut(group, factors.wiring().port_begin(factor), factors.wiring().port_end(factor));
    return true;
}

void MessageState::collect(std::size_t group) {
    if (in_logarithms_) {
        for (std::size_t port = 0; port < messages_[group].size(); ++port)
            scratch_.add(groups_[group]->wiring().slot(port), message(group, port));
    } else {
        groups_[group]->add_messages(messages_[group].data(), scratch_);
    }
}

double MessageState::absorb(std::size_t group) {
    collect(group);
    double largest = 0;
    for (std::size_t i = 0; i < touched_[group].size(); ++i) {
        const int slot = touched_[group][i];
        MessageSum& said = said_[group][i];
        const MessageSum now = scratch_.sum(slot);
        scratch_.clear(slot);
        largest = std::max(largest, change(said.value(), now.value()));
        totals_.take_out(slot, said);
        totals_.add(slot, now);
        said = now;
        is_possible_ &= !totals_.contradicts(slot);
    }
    return largest;
}

void MessageState::refresh() {
    for (int slot = 0; slot < graph_->slots(); ++slot) {
        totals_.clear(slot);
        totals_.add(slot, unary(slot));
    }
    for (std::size_t group = 0; group < groups_.size(); ++group)
        for (std::size_t i = 0; i < touched_[group].size(); ++i) totals_.add(touched_[group][i], said_[group][i]);
}

void MessageState::refresh_all() {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        collect(group);
        for (std::size_t i = 0; i < touched_[group].size(); ++i) {
            said_[group][i] = scratch_.sum(touched_[group][i]);
            scratch_.clear(touched_[group][i]);
        }
    }
    refresh();
}

void MessageState::propagate_factor(std::size_t group, std::size_t factor, double damping, double* changes,
                                    Arena& arena) {
    Interruption::heed();
    const Stopwatch stopwatch(seconds[group]);
    ++calls[group];
    const Arena::Frame frame(arena);
    const Wiring& wiring = groups_[group]->wiring();
    const std::size_t begin = wiring.port_begin(factor), end = wiring.port_end(factor);
    double* before = arena.take<double>(end - begin);
    for (std::size_t port = begin; port < end; ++port) before[port - begin] = message(group, port);
    if (!update(group, factor, damping, arena)) is_possible_ = false;
    for (std::size_t port = begin; port < end; ++port) {
        const double after = message(group, port);
        changes[port - begin] = change(before[port - begin], after);
        if (changes[port - begin] == 0) continue;
        totals_.take_out(wiring.slot(port), before[port - begin]);
        totals_.add(wiring.slot(port), after);
        is_possible_ &= !totals_.contradicts(wiring.slot(port));
    }
}

const double* MessageState::logarithms(std::size_t group, std::vector<double>& buffer) const {
    if (in_logarithms_ || !groups_[group]->has_odds()) return messages_[group].data();
    buffer.resize(messages_[group].size());
    groups_[group]->take_logarithms(messages_[group].data(), buffer.data());
    return buffer.data();
}

void MessageState::start_from(const MessageState& other, double multiplier) {
    for (std::size_t group = 0; group < groups_.size(); ++group)
        for (std::size_t port = 0; port < messages_[group].size(); ++port)
            messages_[group][port] = multiplier * other.messages_[group][port];
    refresh_all();
}

}  // namespace arbora
