#include "solvers/ad3.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solvers/average.hpp"
#include "solvers/incumbent.hpp"
#include "support/interruption.hpp"

namespace arbora {
namespace {

constexpr double relaxation = 1.5;       // steps of the multipliers converge up to 1.618 times the penalty
constexpr int iterations_per_bound = 5;  // a bound costs about as much as an easy iteration
constexpr double imbalance = 20;         // of residuals, above which the penalty changes
constexpr int first_rest = 50;           // iterations until it may change, twice as many until the next time
constexpr int first_window = 20;         // iterations until their average is tried
constexpr double widening = 1.25;        // of the window for the next average, if one was no better
constexpr double better = 0.8;           // an average must move so much less than the iterates

// Evidence decides more than when the numbers were written; elsewhere they are still right.
std::vector<double> beginning(const Copies& copies, const Multipliers* given) {
    std::vector<double> result = copies.equal_shares();
    if (given && given->size() == result.size())
        for (std::size_t port = 0; port < result.size(); ++port)
            if (std::isfinite(result[port]) && std::isfinite((*given)[port])) result[port] = (*given)[port];
    return result;
}

class Ad3 {
public:
    Ad3(const FactorGraph& graph, const Ad3Options& options, const Multipliers* given)
        : options_(options),
          copies_(graph),
          decoding_(copies_, beginning(copies_, given)),
          incumbent_(copies_, options.derive),
          outside_(copies_.outside()),
          typical_(copies_.typical_score()),
          penalty_(options.penalty > 0 ? options.penalty : typical_),
          z_(copies_.ports(), 0.0),
          a_(copies_.ports(), 0.0),
          u_(graph.slots(), 0.0),
          u_average_(graph.slots()),
          w_average_(copies_.ports()),
          caches_(copies_.factors()),
          best_in_(decoding_.all_in()) {}

    Outcome run(Multipliers* multipliers) {
        outcome_.infeasible = outside_ == -INFINITY;
        if (!outcome_.infeasible && find_bound()) {
            begin();
            while (outcome_.iterations < options_.iterations && iterate()) {
                const bool is_solved = primal_ <= options_.tolerance && dual_ <= options_.tolerance;
                if ((is_solved || outcome_.iterations % iterations_per_bound == 0) && !find_bound(is_solved)) break;
                outcome_.converged = is_solved;
                if (is_solved) break;
                balance();
                if (!try_average()) break;
            }
        }
        report();
        if (multipliers) *multipliers = best_in_;
        return std::move(outcome_);
    }

private:
    bool moves(int slot) const { return copies_.is_free(slot) && copies_.degree(slot); }

    // The means begin at what the factors want.
    void begin() {
        Assignment alone(u_.size(), 0);
        const FactorGraph& graph = copies_.graph();
        for (int v = 0; v < graph.variables().count(); ++v) decide_alone(graph, v, alone);
        for (int slot = 0; slot < graph.slots(); ++slot) u_[slot] = moves(slot) ? decoding_.mean(slot) : alone[slot];
        for (int port = 0; port < copies_.ports(); ++port) z_[port] = NAN;  // no factor was asked yet
    }

    // The upper bound at the present multipliers, and assignments on the way. False if there is nothing left to do.
    bool find_bound(bool is_last = false) {
        if (!decoding_.solve(true, outcome_)) {
            outcome_.infeasible = true;
            return false;
        }
        const double dual = outside_ + decoding_.total();
        if (!std::isfinite(dual)) return false;
        if (dual < outcome_.upper_bound) {
            outcome_.upper_bound = dual;
            best_in_ = decoding_.all_in();
        }
        incumbent_.consider(decoding_);
        if (!decoding_.disagreeing().empty() && outcome_.iterations > 0) {
            incumbent_.consider(u_);
            if (is_last || !incumbent_.is_candidate_possible()) incumbent_.repair(preferences());
        }
        if (is_certificate(incumbent_.value(), outcome_.upper_bound)) outcome_.converged = true;
        return !outcome_.converged && outcome_.upper_bound > options_.cutoff;
    }

    std::vector<double> preferences() const {
        std::vector<double> result(u_.size());
        for (std::size_t slot = 0; slot < u_.size(); ++slot) result[slot] = 4 * typical_ * (2 * u_[slot] - 1);
        return result;
    }

    // One iteration. False if nothing more can come of it.
    bool iterate() {
        ++outcome_.iterations;
        if (!project()) return false;
        update();
        return std::isfinite(primal_) && std::isfinite(dual_);
    }

    // z_f for every factor for which something has changed. False if one cannot be satisfied.
    bool project() {
        using Clock = std::chrono::steady_clock;
        auto before = Clock::now();
        for (std::size_t g = 0; g < copies_.graph().groups().size(); ++g) {
            const int begin = copies_.group_begin(g), end = copies_.group_begin(g + 1);
            for (int factor = begin; factor < end; ++factor) {
                const bool has_changed = gather(factor);
                ++(has_changed ? outcome_.calls : outcome_.skipped)[g];
                if (has_changed && !project(factor)) {
                    outcome_.infeasible = true;
                    return false;
                }
            }
            const auto after = Clock::now();
            outcome_.seconds[g] += std::chrono::duration<double>(after - before).count();
            before = after;
        }
        return true;
    }

    // a = u + w / penalty, as the ports see it; whether that is new. -inf and +inf stay.
    bool gather(int factor) {
        bool has_changed = false;
        for (int port = copies_.port_begin(factor); port < copies_.port_end(factor); ++port) {
            const double u = u_[copies_.slot(port)];
            const double a = (copies_.is_negated(port) ? 1 - u : u) + decoding_.in(port) / penalty_;
            has_changed |= a != a_[port] || std::isnan(z_[port]);
            a_[port] = a;
        }
        return has_changed;
    }

    bool project(int factor) {
        Interruption::heed();
        const int begin = copies_.port_begin(factor);
        const bool is_possible = copies_.group(factor).project(copies_.number_in_group(factor), a_.data() + begin,
                                                               penalty_, z_.data() + begin, caches_[factor], arena_);
        if (is_possible && copies_.has_negations(factor))
            for (int port = begin; port < copies_.port_end(factor); ++port)
                if (copies_.is_negated(port)) z_[port] = 1 - z_[port];
        return is_possible;
    }

    // u and the multipliers, with the residuals: how far copies are from their mean; and how far the mean has moved, as
    // what is then wrong with the multipliers, relative to the scores.
    void update() {
        double primal = 0, dual = 0;
        std::size_t count = 0;
        for (int slot = 0; slot < copies_.graph().slots(); ++slot) {
            if (!moves(slot)) continue;
            double mean = 0;
            for (int port : copies_.ports_of(slot)) mean += z_[port];
            mean /= copies_.degree(slot);
            for (int port : copies_.ports_of(slot)) {
                const double away = z_[port] - mean;
                primal += away * away;
                if (away != 0) decoding_.add(port, -relaxation * penalty_ * away);
            }
            const double moved = mean - u_[slot];
            dual += copies_.degree(slot) * moved * moved;
            count += copies_.degree(slot);
            u_[slot] = mean;
        }
        moved_ = primal + dual;
        primal_ = count ? std::sqrt(primal / static_cast<double>(count)) : 0;
        dual_ = count ? penalty_ / typical_ * std::sqrt(dual / static_cast<double>(count)) : 0;
        outcome_.residuals.push_back(std::max(primal_, dual_));
        outcome_.values.push_back(outcome_.upper_bound);
    }

    // A higher penalty makes copies agree, a lower one lets the mean move. It must come to rest for convergence.
    void balance() {
        if (outcome_.iterations < next_balance_) return;
        if (primal_ > imbalance * dual_)
            penalty_ *= 2;
        else if (dual_ > imbalance * primal_)
            penalty_ /= 2;
        else
            return;
        rest_ *= 2;
        next_balance_ = outcome_.iterations + static_cast<int>(rest_);
    }

    // Near a solution the iterates go around it and come nearer slowly, but their average over a turn is near. If an
    // iteration moves that less than it moves them, go on from there.
    bool try_average() {
        u_average_.add(u_);
        w_average_.add(decoding_.all_in());
        if (u_average_.count() < window_) return true;
        const double moved = moved_;
        u_before_ = u_;
        w_before_ = decoding_.all_in();
        for (std::size_t slot = 0; slot < u_.size(); ++slot) u_[slot] = u_average_[slot];
        for (int port = 0; port < copies_.ports(); ++port)
            if (moves(copies_.slot(port))) decoding_.set(port, w_average_[port]);
        if (!iterate()) return false;
        if (moved_ > better * better * moved) {
            u_ = u_before_;
            for (int port = 0; port < copies_.ports(); ++port) decoding_.set(port, w_before_[port]);
            window_ *= widening;
        }
        u_average_.clear();
        w_average_.clear();
        return true;
    }

    void report() {
        const FactorGraph& graph = copies_.graph();
        if (!is_certificate(incumbent_.value(), outcome_.upper_bound)) incumbent_.improve();
        outcome_.value = incumbent_.value();
        outcome_.assignment = incumbent_.assignment();
        outcome_.beliefs = u_;
        if (outcome_.infeasible) {
            outcome_.upper_bound = -INFINITY;
            outcome_.converged = true;
        } else if (is_certificate(outcome_.value, outcome_.upper_bound)) {
            outcome_.converged = true;
            std::copy(outcome_.assignment.begin(), outcome_.assignment.end(), outcome_.beliefs.begin());
            outcome_.parts = parts_of(graph, outcome_.assignment, arena_);
        }
    }

    const Ad3Options options_;
    const Copies copies_;
    Decoding decoding_;
    Incumbent incumbent_;
    const double outside_, typical_;
    double penalty_, primal_ = 0, dual_ = 0, rest_ = first_rest;
    double moved_ = 0, window_ = first_window;  // moved_: how far an iteration went, squared
    int next_balance_ = first_rest;
    std::vector<double> z_, a_, u_;  // z_ as the slots mean it, a_ as the ports see it
    std::vector<double> u_before_, w_before_;
    Average u_average_, w_average_;
    std::vector<ActiveSet> caches_;
    std::vector<double> best_in_;  // of the lowest bound
    Outcome outcome_;
    Arena arena_;
};

}  // namespace

Outcome ad3(const FactorGraph& graph, const Ad3Options& options, Multipliers* multipliers) {
    return Ad3(graph, options, multipliers).run(multipliers);
}

}  // namespace arbora
