#include "parsing/head_propagation.hpp"

#include <algorithm>
#include <cmath>

#include "factors/choice.hpp"
#include "factors/grand_siblings.hpp"
#include "support/interruption.hpp"
#include "support/logarithms.hpp"

namespace arbora {
namespace {

// What is beyond is certain, as far as anyone can tell.
constexpr double most = 500;

double log_probability(double log_odds) {
    return log_odds > 0 ? -std::log1p(std::exp(-log_odds)) : log_odds - std::log1p(std::exp(log_odds));
}

class HeadPropagation {
public:
    HeadPropagation(const PartGraph& graph, const HeadPropagationOptions& options)
        : arcs_(graph.arcs()), graph_(graph.tagged()), first_tag_(graph.graph().slots()), options_(options) {
        for (int slot = 0; slot < graph_.slots(); ++slot) totals_.push_back(graph_.unary(slot));
        for (const auto& group : graph_.groups()) messages_.emplace_back(group->wiring().ports(), 0.0);
        beliefs_.assign(graph_.slots(), 0.0);
        // A variable is the head of a word, or a word's tag: several slots, of which one is true. Slots between those of arcs
        // and tags are binary variables.
        for (int word = 1; word <= arcs_.n(); ++word)
            variables_.push_back({arcs_.heads_begin(word), arcs_.heads_end(word)});
        const Variables& all = graph_.variables();
        for (int tag = graph.graph().variables().count(); tag < all.count(); ++tag)
            variables_.push_back({all.first(tag), all.first(tag) + all.size(tag)});
        owners_.assign(graph_.slots(), -1);
        for (std::size_t v = 0; v < variables_.size(); ++v)
            std::fill(owners_.begin() + variables_[v].begin, owners_.begin() + variables_[v].end, static_cast<int>(v));
    }

    Outcome run() {
        for (int i = 0; i < options_.iterations && !outcome_.converged && !outcome_.infeasible; ++i) {
            ++outcome_.iterations;
            for (std::size_t g = 1; g < graph_.groups().size(); ++g) update(g);
            update(0);
            const double change = set_beliefs();
            outcome_.residuals.push_back(change);
            outcome_.converged = change <= options_.tolerance;
        }
        if (!outcome_.infeasible) finish();
        if (outcome_.infeasible) outcome_.log_partition = -INFINITY;
        outcome_.beliefs = std::move(beliefs_);
        return std::move(outcome_);
    }

private:
    struct Range {
        int begin, end;
    };

    // How many of a factor's first ports are arcs of which exactly one into each of their words is true.
    int exclusive_ports(std::size_t group, std::size_t factor) const {
        const FactorGroup& own = *graph_.groups()[group];
        if (group == 0) return own.wiring().port_count(factor);
        if (const auto* automata = dynamic_cast<const GrandSiblings*>(&own)) return automata->grandparent_count(factor);
        const auto* choices = dynamic_cast<const ChoiceFactor*>(&own);
        return choices ? choices->choices(factor) : 0;
    }

    int slot_of(std::size_t group, std::size_t port) const { return graph_.groups()[group]->wiring().slot(port); }
    double sign_of(std::size_t group, std::size_t port) const {
        return graph_.groups()[group]->wiring().is_negated(port) ? -1 : 1;
    }
    bool is_arc(int slot) const { return slot < arcs_.count(); }
    bool is_tag(int slot) const { return slot >= first_tag_; }

    // log sum over a variable's slots of exp(total), but for one slot (-1: none).
    double log_sum(Range variable, int without) const {
        double top = -INFINITY, sum = 0;
        for (int slot = variable.begin; slot < variable.end; ++slot)
            if (slot != without) top = std::max(top, totals_[slot]);
        if (top == -INFINITY) return top;
        for (int slot = variable.begin; slot < variable.end; ++slot)
            if (slot != without) sum += std::exp(totals_[slot] - top);
        return top + std::log(sum);
    }
    Range variable_of(int slot) const { return variables_[owners_[slot]]; }

    // What a factor is told: of its exclusive ports, and of tags, the scores by all others, of the rest the log-odds.
    void gather(std::size_t group, std::size_t factor, double* in) const {
        const Wiring& wiring = graph_.groups()[group]->wiring();
        const std::size_t begin = wiring.port_begin(factor);
        const int ports = wiring.port_count(factor), exclusive = exclusive_ports(group, factor);
        for (int p = 0; p < ports; ++p) {
            const int slot = slot_of(group, begin + p);
            const double sign = sign_of(group, begin + p);
            in[p] = std::isinf(totals_[slot]) ? totals_[slot] : totals_[slot] - sign * messages_[group][begin + p];
            if (p < exclusive || is_tag(slot)) continue;
            if (is_arc(slot) && in[p] != -INFINITY) {
                const double others = log_sum(variable_of(slot), slot);
                in[p] = others == -INFINITY ? INFINITY : in[p] - others;
            }
            if (!std::isinf(in[p])) in[p] = std::clamp(in[p], -most, most);
            in[p] *= sign;
        }
    }

    // Asks every factor of a group for its beliefs, and calls use(factor, ports, exclusive, in, found, value), until one
    // cannot be satisfied. `parts`: where the probabilities of the group's parts go, if they are wanted.
    template <class Use>
    void ask(std::size_t group, double* parts, Use use) {
        const FactorGroup& own = *graph_.groups()[group];
        for (std::size_t factor = 0; factor < own.size(); ++factor) {
            Interruption::heed();
            const Arena::Frame frame(arena_);
            const int ports = own.wiring().port_count(factor);
            double* in = arena_.take<double>(ports);
            double* found = arena_.take<double>(ports);
            gather(group, factor, in);
            const double value = own.sum(factor, in, found, parts ? parts + own.part_begin(factor) : nullptr, arena_);
            if (value == -INFINITY) {
                outcome_.infeasible = true;
                return;
            }
            use(factor, ports, exclusive_ports(group, factor), in, found, value);
        }
    }

    void update(std::size_t group) {
        const Wiring& wiring = graph_.groups()[group]->wiring();
        ask(group, nullptr,
            [&](std::size_t factor, int ports, int exclusive, const double* in, const double* found, double) {
                for (int p = 0; p < ports; ++p) {
                    const std::size_t port = wiring.port_begin(factor) + p;
                    if (std::isinf(in[p])) continue;  // nothing is left to say
                    const double belief = p < exclusive ? log_probability(found[p]) : found[p];
                    double message = belief - in[p];
                    if (is_tag(slot_of(group, port))) message -= highest_of_variable(group, port, p, ports, in, found);
                    message = std::clamp(message, -most, most);
                    totals_[slot_of(group, port)] += sign_of(group, port) * (message - messages_[group][port]);
                    messages_[group][port] = message;
                }
            });
    }

    // The highest message to the tag behind a port: a constant that no belief depends on.
    double highest_of_variable(std::size_t group, std::size_t port, int p, int ports, const double* in,
                               const double* found) const {
        const Range variable = variable_of(slot_of(group, port));
        const int first = p - (slot_of(group, port) - variable.begin);
        double highest = -INFINITY;
        for (int q = first; q < std::min(ports, first + variable.end - variable.begin); ++q)
            if (in[q] != -INFINITY) highest = std::max(highest, found[q] - in[q]);
        return highest;
    }

    // The probabilities of all slots; returns the largest change.
    double set_beliefs() {
        double largest = 0;
        const auto set = [&](int slot, double belief) {
            largest = std::max(largest, std::abs(belief - beliefs_[slot]));
            beliefs_[slot] = belief;
        };
        for (const Range& variable : variables_) {
            const double total = log_sum(variable, -1);
            if (total == -INFINITY) {
                outcome_.infeasible = true;
                return largest;
            }
            for (int slot = variable.begin; slot < variable.end; ++slot) set(slot, std::exp(totals_[slot] - total));
        }
        for (int slot = arcs_.count(); slot < first_tag_; ++slot) set(slot, 1 / (1 + std::exp(-totals_[slot])));
        return largest;
    }

    // The parts, and log Z = sum over variables of log Z_i + sum over factors of log Z_f - sum over both of log Z_fi.
    void finish() {
        double total = 0;
        for (const Range& variable : variables_) total += log_sum(variable, -1);
        for (int slot = arcs_.count(); slot < first_tag_; ++slot)
            if (!std::isinf(totals_[slot])) total += softplus(totals_[slot]);
        outcome_.parts.resize(graph_.groups().size());
        for (std::size_t group = 0; group < graph_.groups().size(); ++group) {
            std::vector<double>& parts = outcome_.parts[group];
            parts.assign(graph_.groups()[group]->part_scores().size(), 0.0);
            ask(group, parts.empty() ? nullptr : parts.data(),
                [&](std::size_t factor, int ports, int exclusive, const double* in, const double*, double value) {
                    total += value;
                    for (int p = 0; p < ports; ++p) total -= together(group, factor, p, exclusive, in);
                });
        }
        outcome_.log_partition = total;
    }

    // log Z_fi for the variable behind a port; for exclusive ports, and for tags, at the first one of the variable. Scores
    // are those of true relative to false; behind a negation the factor's own are the other way round, which its message
    // makes up for.
    double together(std::size_t group, std::size_t factor, int p, int exclusive, const double* in) const {
        const std::size_t begin = graph_.groups()[group]->wiring().port_begin(factor);
        const int slot = slot_of(group, begin + p);
        if (p >= exclusive && !is_tag(slot)) {
            if (std::isinf(in[p])) return 0;
            const double message = messages_[group][begin + p], both = softplus(in[p] + message);
            return sign_of(group, begin + p) < 0 ? both - message : both;
        }
        if (p > 0 && owners_[slot_of(group, begin + p - 1)] == owners_[slot]) return 0;
        return log_sum(variable_of(slot), -1);  // what all others say, and what this factor says: the total
    }

    const ArcIndex& arcs_;
    const FactorGraph& graph_;
    const int first_tag_;
    const HeadPropagationOptions options_;
    std::vector<Range> variables_;
    std::vector<int> owners_;               // the variable of each slot; -1 if it is binary
    std::vector<double> totals_, beliefs_;  // of each slot: arcs, binary variables, tags
    std::vector<std::vector<double>> messages_;
    Outcome outcome_;
    Arena arena_;
};

}  // namespace

Outcome propagate_heads(const PartGraph& graph, const HeadPropagationOptions& options) {
    return HeadPropagation(graph, options).run();
}

}  // namespace arbora
