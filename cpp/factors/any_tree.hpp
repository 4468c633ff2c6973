#pragma once
#include "factors/candidate_arcs.hpp"
#include "factors/hard_factor.hpp"

namespace arbora {

// What factors over the arcs of one sentence have in common: from what ports are given to a table of scores, and back.
class AnyTreeFactor : public HardFactor {
public:
    // Throws std::invalid_argument if there is not one input for every arc.
    AnyTreeFactor(std::string kind, Wiring wiring, CandidateArcs arcs);

    bool is_structure() const final { return true; }
    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const final;
    double max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const final;
    double best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const final;
    double score(std::size_t factor, std::span<const int> active, Arena& arena) const final;

    const CandidateArcs& arcs() const { return arcs_; }

protected:
    // As arc_log_odds and arc_max_odds in trees/arc_odds.hpp.
    virtual double log_odds(ArcScores scores, ScoreRange range, double* odds, Arena& arena) const = 0;
    virtual double max_odds(ArcScores scores, double* odds, Arena& arena) const = 0;
    // The best tree; false if there is none.
    virtual bool find_best(ArcScores scores, int* heads, Arena& arena) const = 0;
    // Whether a tree is one of those that count.
    virtual bool counts(const int* heads) const = 0;

private:
    template <class Odds>
    double beliefs_by(Odds odds_of, const double* in, double* beliefs, Arena& arena) const;

    CandidateArcs arcs_;
};

}  // namespace arbora
