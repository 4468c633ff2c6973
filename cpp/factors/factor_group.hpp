#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "factors/messages.hpp"
#include "factors/polytope.hpp"
#include "factors/wiring.hpp"
#include "support/arena.hpp"

namespace arbora {

// One way a factor can be satisfied: the ports that are true (for a category: the port of its value), in ascending
// order, counted from 0 within the factor; and what the factor's own parts give for it.
struct Configuration {
    std::vector<int> active;
    double inner = 0;
};

// What a projection found, kept for the next one, which is likely to end near it: configurations, their weights, and a
// factorisation that only active_set.cpp reads.
struct ActiveSet {
    std::vector<Configuration> configurations;
    std::vector<double> weights, factor;
};

// All factors of one kind that were added together, in flat arrays. A factor is a function of the variables that it
// sees: the sum (in `best`, `max`, `project`, `polytope`: the maximum) over its configurations that fit. Its *parts*
// are what its own scores hang on: a pair of arcs, a bigram of siblings, a trigram of tags; the inner score of a
// configuration is the sum of the scores of its parts. Hard factors have none.
//
// An algorithm uses only the oracles below. What they take (`in`) is one number for each port, what everything
// outside the factor says about it: a log-odds for a binary variable, log-scores for a category (up to a constant).
// -inf: never; +inf (binary only): always, and that costs nothing. What they give back (`beliefs`) has the same form,
// and takes `in` into account: a log-odds log p - log(1 - p), or normalised log-probabilities of a category's values;
// so a message is belief minus in. Where nothing is possible, oracles return -inf and give zeros back. `in` is never
// nan, a category's `in` never +inf. Negations have been dealt with before; factors know nothing of them.
//
// `factor` is always counted within the group, `arena` is scratch space. All are safe to call from several threads.
class FactorGroup {
public:
    FactorGroup(Wiring wiring, std::vector<double> part_scores, std::vector<std::size_t> part_begins);
    virtual ~FactorGroup() = default;
    FactorGroup(const FactorGroup&) = delete;
    FactorGroup& operator=(const FactorGroup&) = delete;

    // The name that users know, such as "Tree".
    virtual const char* kind() const = 0;

    // Each factor is a structure over all that it sees, such as a tree over its arcs. Dual decomposition takes its
    // assignments from such factors, and leaves nearly all of the unary scores to the others.
    virtual bool is_structure() const { return false; }

    const Wiring& wiring() const { return wiring_; }
    std::size_t size() const { return wiring_.factors(); }

    // The largest of the finite part scores, whatever its sign.
    double largest_score() const { return largest_score_; }

    // Scores of the parts, those of one factor after those of the one before.
    const std::vector<double>& part_scores() const { return part_scores_; }
    std::size_t part_begin(std::size_t factor) const { return part_begins_.empty() ? 0 : part_begins_[factor]; }
    std::size_t part_count(std::size_t factor) const {
        return part_begins_.empty() ? 0 : part_begins_[factor + 1] - part_begins_[factor];
    }

    // Log of the sum over configurations; beliefs for every port; the probability of every part, if `parts` is not
    // null.
    virtual double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const = 0;

    // Score of the best configuration; max-marginals as beliefs: for a binary variable the best score with it true
    // minus the best with it false, for a category's value the best score with it minus the best of all.
    virtual double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const = 0;

    // A best configuration. Returns its score: its inner one, and `in` of its active ports (+inf counts 0).
    virtual double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const = 0;

    // The z in the convex hull of the configurations that maximises [what the parts give] - penalty |z - a|^2 / 2; for
    // hard factors, whatever the penalty, the point nearest to `a`. -inf and +inf in `a` fix a port at 0 and at 1. False
    // if nothing is possible. Without an override: by an active set over `best`, which begins with what `cache` holds.
    virtual bool project(std::size_t factor, const double* a, double penalty, double* z, ActiveSet& cache,
                         Arena& arena) const;

    // Rows that describe the factor; together with the bounds [0, 1] of all columns they are the convex hull of its
    // configurations, except for trees that are described otherwise.
    virtual void polytope(std::size_t factor, TreeRows tree_rows, Polytope& rows) const = 0;

    // Adds rows that `values` (one for each port) violate, of those that TreeRows::heads_only leaves out; none if the
    // values satisfy them all.
    virtual void separate(std::size_t, const double*, Polytope&) const {}

    // The inner score of the best configuration with exactly these active ports; -inf if there is none.
    virtual double score(std::size_t factor, std::span<const int> active, Arena& arena) const = 0;

    // Adds `weight` to every part of that configuration.
    virtual void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                           Arena& arena) const = 0;

    // Sum-product for all factors at once: new messages in place of old ones. There is one for each port, a log-odds
    // or a category's log-scores, as the factor means it (before negation), unless `has_odds`: then it is the odds
    // themselves, which needs products and quotients only, and is never beyond what the part scores can say. new = old + (1 - damping) * (computed - old), in logarithms.
    // False if some factor has no possible configuration. Without an override: by `sum`.
    virtual bool propagate(const Totals& totals, double damping, double* messages, Arena& arena) const;
    virtual bool has_odds() const { return false; }

    // What `sum` gives for all factors at once when the messages are as `propagate` keeps them: the sum of its values
    // (-inf if one is), and the probabilities of all parts.
    virtual double sum_all(const Totals& totals, const double* messages, double* parts, Arena& arena) const;
    // The same for messages in logarithms.
    double sum_each(const Totals& totals, const double* messages, double* parts, Arena& arena) const;

    // Adds the messages, as `propagate` keeps them, to the totals, those through negated ports with the other sign.
    virtual void add_messages(const double* messages, Totals& totals) const;
    // The messages, as `propagate` keeps them, in logarithms.
    void take_logarithms(const double* messages, double* logarithms) const;

    // What the totals say to each port of a factor when its own messages, here in logarithms, are left out: the `in`
    // of the oracles.
    void gather(std::size_t factor, const Totals& totals, const double* messages, double* in) const;

    // The messages of one factor, in logarithms, from what its oracle was given and gave back, damped.
    void set_messages(std::size_t factor, const double* in, const double* beliefs, double damping,
                      double* messages) const;

    // The same factors with all part scores multiplied; null if there are none to multiply. Soft kinds override it,
    // so that solvers can lower the temperature.
    virtual std::shared_ptr<const FactorGroup> scaled(double multiplier) const;

protected:
    std::vector<double> scaled_scores(double multiplier) const;

private:
    Wiring wiring_;
    std::vector<double> part_scores_;
    double largest_score_ = 0;
    std::vector<std::size_t> part_begins_;  // empty for hard factors
};

// Where the parts of each factor begin if every one has a single part.
std::vector<std::size_t> one_part_each(std::size_t factors);

// The projection for any factor that has `best` (FactorGroup::project). Starts from what `cache` holds.
bool project_by_active_set(const FactorGroup& group, std::size_t factor, const double* a, double penalty, double* z,
                           ActiveSet& cache, Arena& arena);

}  // namespace arbora
