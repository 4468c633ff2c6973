#include "factors/factor_group.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "support/interruption.hpp"

namespace arbora {

FactorGroup::FactorGroup(Wiring wiring, std::vector<double> part_scores, std::vector<std::size_t> part_begins)
    : wiring_(std::move(wiring)), part_scores_(std::move(part_scores)), part_begins_(std::move(part_begins)) {
    if (!part_begins_.empty() && part_begins_.size() != size() + 1)
        throw std::invalid_argument("a group must say where the parts of each factor begin");
    for (double score : part_scores_) {
        if (std::isnan(score) || score == INFINITY) throw std::invalid_argument("a score is nan or +inf");
        if (score != -INFINITY) largest_score_ = std::max(largest_score_, std::abs(score));
    }
}

void FactorGroup::gather(std::size_t factor, const Totals& totals, const double* messages, double* in) const {
    const std::size_t begin = wiring_.port_begin(factor), end = wiring_.port_end(factor);
    for (std::size_t port = begin; port < end; ++port) {
        const double message = messages[port];
        const int slot = wiring_.slot(port);
        in[port - begin] = wiring_.is_negated(port) ? -totals.without(slot, -message) : totals.without(slot, message);
    }
}

void FactorGroup::add_messages(const double* messages, Totals& totals) const {
    for (std::size_t port = 0; port < wiring_.ports(); ++port) {
        const double message = has_odds() ? std::log(messages[port]) : messages[port];
        totals.add(wiring_.slot(port), wiring_.is_negated(port) ? -message : message);
    }
}

void FactorGroup::take_logarithms(const double* messages, double* logarithms) const {
    for (std::size_t port = 0; port < wiring_.ports(); ++port)
        logarithms[port] = has_odds() ? std::log(messages[port]) : messages[port];
}

bool FactorGroup::propagate(const Totals& totals, double damping, double* messages, Arena& arena) const {
    bool is_possible = true;
    for (std::size_t factor = 0; factor < size(); ++factor) {
        Interruption::heed();
        const Arena::Frame frame(arena);
        const int ports = wiring_.port_count(factor);
        double* in = arena.take<double>(ports);
        double* beliefs = arena.take<double>(ports);
        gather(factor, totals, messages, in);
        if (sum(factor, in, beliefs, nullptr, arena) == -INFINITY) {
            is_possible = false;
            continue;
        }
        set_messages(factor, in, beliefs, damping, messages);
    }
    return is_possible;
}

double FactorGroup::sum_all(const Totals& totals, const double* messages, double* parts, Arena& arena) const {
    if (!has_odds()) return sum_each(totals, messages, parts, arena);
    const Arena::Frame frame(arena);
    double* logarithms = arena.take<double>(wiring_.ports());
    take_logarithms(messages, logarithms);
    return sum_each(totals, logarithms, parts, arena);
}

double FactorGroup::sum_each(const Totals& totals, const double* messages, double* parts, Arena& arena) const {
    double total = 0;
    for (std::size_t factor = 0; factor < size(); ++factor) {
        Interruption::heed();
        const Arena::Frame frame(arena);
        const int ports = wiring_.port_count(factor);
        double* in = arena.take<double>(ports);
        double* beliefs = arena.take<double>(ports);
        gather(factor, totals, messages, in);
        total += sum(factor, in, beliefs, parts + part_begin(factor), arena);
    }
    return total;
}

void FactorGroup::set_messages(std::size_t factor, const double* in, const double* beliefs, double damping,
                               double* messages) const {
    const std::size_t begin = wiring_.port_begin(factor);
    for (std::size_t input = wiring_.input_begin(factor); input < wiring_.input_end(factor); ++input) {
        const std::size_t first = wiring_.input_port(input);
        const int size = wiring_.input_size(input);
        // Where it is certain already what a variable is, a message could add nothing.
        double highest = 0;
        if (wiring_.is_category(input)) {
            highest = -INFINITY;
            for (std::size_t port = first; port < first + size; ++port)
                if (!std::isinf(in[port - begin]))
                    highest = std::max(highest, beliefs[port - begin] - in[port - begin]);
        }
        for (std::size_t port = first; port < first + size; ++port) {
            double& message = messages[port];
            if (std::isinf(in[port - begin])) {
                // What was found impossible stays so; if two factors found it and both took it back because the
                // other one says it, it would be possible again.
                if (!std::isinf(message)) message = 0;
                continue;
            }
            const double computed = beliefs[port - begin] - in[port - begin] - highest;
            if (damping == 0 || std::isinf(computed))
                message = computed;
            else if (!std::isinf(message))
                message += (1 - damping) * (computed - message);
        }
    }
}

std::shared_ptr<const FactorGroup> FactorGroup::scaled(double) const {
    if (!part_scores_.empty()) throw std::invalid_argument(std::string(kind()) + " has no temperature");
    return nullptr;
}

std::vector<double> FactorGroup::scaled_scores(double multiplier) const {
    std::vector<double> result = part_scores_;
    for (double& score : result)
        if (!std::isinf(score)) score *= multiplier;
    return result;
}

bool FactorGroup::project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet& cache,
                          Arena& arena) const {
    return project_by_active_set(*this, factor, a, penalty, z, cache, arena);
}

std::vector<std::size_t> one_part_each(std::size_t factors) {
    std::vector<std::size_t> begins(factors + 1);
    std::iota(begins.begin(), begins.end(), std::size_t{0});
    return begins;
}

}  // namespace arbora
