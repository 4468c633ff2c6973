#include "parsing/head_propagation.hpp"

#include <algorithm>
#include <cmath>

#include "factors/grand_siblings.hpp"

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
        : arcs_(graph.arcs()), graph_(graph.graph()), options_(options) {
        for (int a = 0; a < arcs_.count(); ++a) totals_.push_back(graph_.score(a));
        for (const auto& group : graph_.groups()) messages_.emplace_back(group->wiring().ports(), 0.0);
        beliefs_.assign(arcs_.count(), 0.0);
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
    // How many of a factor's first ports are arcs of which exactly one into each of their words is true.
    int exclusive_ports(std::size_t group, std::size_t factor) const {
        const FactorGroup& own = *graph_.groups()[group];
        if (group == 0) return own.wiring().port_count(factor);
        const auto* automata = dynamic_cast<const GrandSiblings*>(&own);
        return automata ? automata->grandparent_count(factor) : 0;
    }

    int arc_of(std::size_t group, std::size_t port) const { return graph_.groups()[group]->wiring().slot(port); }
    int word_of(int arc) const { return arcs_.arc(arc).modifier; }

    // log sum over the arcs into a word of exp(total), but for one arc (-1: none).
    double log_sum(int word, int without) const {
        double top = -INFINITY, sum = 0;
        for (int a = arcs_.heads_begin(word); a < arcs_.heads_end(word); ++a)
            if (a != without) top = std::max(top, totals_[a]);
        if (top == -INFINITY) return top;
        for (int a = arcs_.heads_begin(word); a < arcs_.heads_end(word); ++a)
            if (a != without) sum += std::exp(totals_[a] - top);
        return top + std::log(sum);
    }

    // What a factor is told: of its exclusive ports the scores by all others, of the rest the log-odds.
    void gather(std::size_t group, std::size_t factor, double* in) const {
        const Wiring& wiring = graph_.groups()[group]->wiring();
        const std::size_t begin = wiring.port_begin(factor);
        const int ports = wiring.port_count(factor), exclusive = exclusive_ports(group, factor);
        for (int p = 0; p < ports; ++p) {
            const int a = arc_of(group, begin + p);
            in[p] = totals_[a] - messages_[group][begin + p];
            if (totals_[a] == -INFINITY) in[p] = -INFINITY;
            if (p < exclusive || in[p] == -INFINITY) continue;
            const double others = log_sum(word_of(a), a);
            in[p] = others == -INFINITY ? INFINITY : std::clamp(in[p] - others, -most, most);
        }
    }

    // Asks every factor of a group for its beliefs, and calls use(factor, ports, exclusive, in, found, value), until one
    // cannot be satisfied. `parts`: where the probabilities of the group's parts go, if they are wanted.
    template <class Use>
    void ask(std::size_t group, double* parts, Use use) {
        const FactorGroup& own = *graph_.groups()[group];
        for (std::size_t factor = 0; factor < own.size(); ++factor) {
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
        ask(group, nullptr, [&](std::size_t factor, int ports, int exclusive, const double* in, const double* found, double) {
            for (int p = 0; p < ports; ++p) {
                const std::size_t port = wiring.port_begin(factor) + p;
                if (std::isinf(in[p])) continue;  // nothing is left to say
                const double belief = p < exclusive ? log_probability(found[p]) : found[p];
                const double message = std::clamp(belief - in[p], -most, most);
                totals_[arc_of(group, port)] += message - messages_[group][port];
                messages_[group][port] = message;
            }
        });
    }

    // The probabilities of all arcs; returns the largest change.
    double set_beliefs() {
        double largest = 0;
        for (int word = 1; word <= arcs_.n(); ++word) {
            const double total = log_sum(word, -1);
            if (total == -INFINITY) {
                outcome_.infeasible = true;
                return largest;
            }
            for (int a = arcs_.heads_begin(word); a < arcs_.heads_end(word); ++a) {
                const double belief = std::exp(totals_[a] - total);
                largest = std::max(largest, std::abs(belief - beliefs_[a]));
                beliefs_[a] = belief;
            }
        }
        return largest;
    }

    // The parts, and log Z = sum over words of log Z_i + sum over factors of log Z_f - sum over both of log Z_fi.
    void finish() {
        double total = 0;
        for (int word = 1; word <= arcs_.n(); ++word) total += log_sum(word, -1);
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

    // log Z_fi for the word behind a port; for exclusive ports, at the first one of a word.
    double together(std::size_t group, std::size_t factor, int p, int exclusive, const double* in) const {
        const std::size_t begin = graph_.groups()[group]->wiring().port_begin(factor);
        if (p >= exclusive) {
            if (in[p] == INFINITY) return 0;
            const double both = in[p] + messages_[group][begin + p];
            return both > 0 ? both + std::log1p(std::exp(-both)) : std::log1p(std::exp(both));
        }
        const int word = word_of(arc_of(group, begin + p));
        if (p > 0 && word_of(arc_of(group, begin + p - 1)) == word) return 0;
        return log_sum(word, -1);  // what all others say, and what this factor says: the total
    }

    const ArcIndex& arcs_;
    const FactorGraph& graph_;
    const HeadPropagationOptions options_;
    std::vector<double> totals_, beliefs_;  // of each arc
    std::vector<std::vector<double>> messages_;
    Outcome outcome_;
    Arena arena_;
};

}  // namespace

Outcome propagate_heads(const PartGraph& graph, const HeadPropagationOptions& options) {
    return HeadPropagation(graph, options).run();
}

}  // namespace arbora
