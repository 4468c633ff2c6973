#include "parsing/hill_climbing.hpp"

#include <algorithm>
#include <cmath>

#include "factors/crossing_sums.hpp"
#include "factors/pairs.hpp"
#include "parsing/arc_pairs.hpp"
#include "parsing/exact_charts.hpp"
#include "parts/nonprojective_arcs.hpp"
#include "support/interruption.hpp"
#include "trees/operations.hpp"

namespace arbora {
namespace {

constexpr int most_sweeps = 20;
// A change must be worth more than rounding.
constexpr double least_gain = 1e-9;

class Climber {
public:
    // `is_best_projective`: no projective tree is better than the given one by its arcs and automata.
    Climber(const PartGraph& graph, int* heads, bool is_best_projective)
        : graph_(graph.graph()),
          arcs_(graph.arcs()),
          single_root_(graph.kind().single_root),
          heads_(heads),
          is_best_projective_(is_best_projective && !graph.descent_group()) {
        const PartGraph::Automata automata = graph.automata();
        for (std::size_t g = graph.first_part_group(); g < graph_.groups().size(); ++g)
            if (graph_.groups()[g].get() != graph.descent_group())
                add_group(*graph_.groups()[g], automata.scores && g == automata.group);
        if (graph.descent_group()) {
            nonprojective_ = NonprojectiveScores(arcs_, graph.descent_group()->part_scores());
            of_nonprojective_ = nonprojective_.of_tree(heads_);
        }
        pairs_.index(arcs_.count());
        begins_.assign(arcs_.count() + 1, 0);
        for (const Factor& factor : factors_) for_slots(factor, [&](int slot) { ++begins_[slot + 1]; });
        for (int a = 0; a < arcs_.count(); ++a) begins_[a + 1] += begins_[a];
        seen_by_.resize(begins_.back());
        std::vector<int> next(begins_.begin(), begins_.end() - 1);
        for (std::size_t f = 0; f < factors_.size(); ++f)
            for_slots(factors_[f], [&](int slot) { seen_by_[next[slot]++] = static_cast<int>(f); });
        assignment_.assign(arcs_.count(), 0);
        for (int m = 1; m <= arcs_.n(); ++m) assignment_[arcs_.find(heads_[m], m)] = 1;
        scores_.assign(factors_.size(), NAN);  // until somebody asks
        marks_.assign(factors_.size(), 0);
    }

    bool run() {
        bool changed = false;
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool improved = false;
            for (int m = 1; m <= arcs_.n(); ++m) {
                Interruption::heed();
                improved |= improve(m);
            }
            if (!improved) break;
            changed = true;
        }
        return changed;
    }

private:
    struct Factor {
        const FactorGroup* group;
        int within;
    };
    // Arcs that go, and arcs that come in their place.
    struct Move {
        int count = 0;
        int out[2], in[2];
    };

    void add_group(const FactorGroup& group, bool are_automata) {
        if (dynamic_cast<const Pairs*>(&group)) {
            pairs_.add(group);
            return;
        }
        is_best_projective_ &= are_automata;
        for (std::size_t f = 0; f < group.size(); ++f) factors_.push_back({&group, static_cast<int>(f)});
    }
    template <class Each>
    static void for_slots(const Factor& factor, Each each) {
        const Wiring& wiring = factor.group->wiring();
        for (std::size_t port = wiring.port_begin(factor.within); port < wiring.port_end(factor.within); ++port)
            each(wiring.slot(port));
    }

    double score(int f) {
        FactorGraph::active_ports(*factors_[f].group, factors_[f].within, assignment_, active_);
        return factors_[f].group->score(factors_[f].within, active_, arena_);
    }

    bool is_above(int word, int below) const {
        while (below && below != word) below = heads_[below];
        return below == word;
    }

    bool find_move(int m, int to, Move& move) const {
        const int head = arcs_.arc(to).head, own = arcs_.find(heads_[m], m);
        move = {1, {own, 0}, {to, 0}};
        if (head == heads_[m]) return false;
        if (head != 0) return !is_above(m, head) && !(single_root_ && heads_[m] == 0);
        if (!single_root_) return true;
        // The root of the tree becomes a modifier of the new one.
        const int root = static_cast<int>(std::find(heads_ + 1, heads_ + arcs_.n() + 1, 0) - heads_);
        const int back = arcs_.find(m, root);
        move = {2, {own, arcs_.find(0, root)}, {to, back}};
        return back >= 0;
    }

    // Whether the move cannot help: it leads to a projective tree, which is no better by arcs and automata, nor is it by
    // pairs. Most are such, and this is cheaper to see than what they change.
    bool is_hopeless(const Move& move) {
        if (!is_best_projective_ || move.count != 1 || crosses_some(arcs_.arc(move.in[0]))) return false;
        const double of_pairs = change(move.out[0]) + change(move.in[0]);
        apply(move);
        return of_pairs <= 0;
    }

    bool crosses_some(const Arc& arc) const {
        for (int m = 1; m <= arcs_.n(); ++m)
            if (m != arc.modifier && arcs_cross(arc.head, arc.modifier, heads_[m], m)) return true;
        return false;
    }

    // What the move would change; the factors that it touches are left in touched_, their scores in fresh_.
    double gain(const Move& move) {
        touched_.clear();
        ++mark_;
        double total = 0;
        for (int i = 0; i < move.count; ++i) {
            total += graph_.score(move.in[i]) - graph_.score(move.out[i]);
            for (int a : {move.out[i], move.in[i]})
                for (int k = begins_[a]; k < begins_[a + 1]; ++k) {
                    const int f = seen_by_[k];
                    if (marks_[f] == mark_) continue;
                    marks_[f] = mark_;
                    touched_.push_back(f);
                    if (std::isnan(scores_[f])) scores_[f] = score(f);
                }
        }
        for (int i = 0; i < move.count; ++i) {
            total += change(move.out[i]);
            total += change(move.in[i]);
        }
        fresh_.clear();
        for (int f : touched_) {
            fresh_.push_back(score(f));
            total += fresh_.back() - scores_[f];
        }
        apply(move);
        return nonprojective_.empty() ? total : total + nonprojective_gain(move);
    }

    // Takes an arc out, or in; what its pairs give then, less what they gave.
    double change(int arc) {
        assignment_[arc] ^= 1;
        const double of_pairs = pairs_.of(arc, assignment_);
        return assignment_[arc] ? of_pairs : -of_pairs;
    }

    // The same of arcs that are not projective, which hang on all that is above and below.
    double nonprojective_gain(const Move& move) {
        set_heads(move.in, move.count);
        const double fresh = nonprojective_.of_tree(heads_);
        set_heads(move.out, move.count);
        return fresh - of_nonprojective_;
    }

    void set_heads(const int* arcs, int count) {
        for (int i = 0; i < count; ++i) heads_[arcs_.arc(arcs[i]).modifier] = arcs_.arc(arcs[i]).head;
    }

    void apply(const Move& move) {
        for (int i = 0; i < move.count; ++i) {
            assignment_[move.out[i]] ^= 1;
            assignment_[move.in[i]] ^= 1;
        }
    }

    bool improve(int m) {
        double best = least_gain;
        Move chosen;
        for (int to = arcs_.heads_begin(m); to < arcs_.heads_end(m); ++to) {
            Move move;
            if (!find_move(m, to, move) || is_hopeless(move)) continue;
            const double value = gain(move);
            if (!(value > best)) continue;
            best = value;
            chosen = move;
        }
        if (!chosen.count) return false;
        is_best_projective_ = false;
        gain(chosen);
        apply(chosen);
        set_heads(chosen.in, chosen.count);
        if (!nonprojective_.empty()) of_nonprojective_ = nonprojective_.of_tree(heads_);
        for (std::size_t i = 0; i < touched_.size(); ++i) scores_[touched_[i]] = fresh_[i];
        return true;
    }

    const FactorGraph& graph_;
    const ArcIndex& arcs_;
    bool single_root_;
    int* heads_;
    bool is_best_projective_;
    std::vector<Factor> factors_;
    ArcPairs pairs_;
    std::vector<int> begins_, seen_by_, active_, touched_;
    std::vector<double> scores_, fresh_;
    NonprojectiveScores nonprojective_;
    double of_nonprojective_ = 0;
    std::vector<int> marks_;
    int mark_ = 0;
    Assignment assignment_;
    Arena arena_;
};

}  // namespace

bool climb(const PartGraph& graph, int* heads) { return Climber(graph, heads, false).run(); }

Outcome climb_from_projective(const PartGraph& graph) {
    const ArcIndex& arcs = graph.arcs();
    const int n = arcs.n();
    std::vector<int> heads(n + 1, -1);
    Outcome outcome;
    const double bound = best_projective(graph, heads.data());
    if (bound == -INFINITY) {
        std::vector<double> table(static_cast<std::size_t>(n + 1) * (n + 1), impossible);
        for (int a = 0; a < arcs.count(); ++a)
            table[static_cast<std::size_t>(arcs.arc(a).head) * (n + 1) + arcs.arc(a).modifier] = graph.graph().score(a);
        TreeRef tree{heads.data(), nullptr, 0};
        try {
            find_best({table.data(), n, 0}, graph.kind(), tree);
        } catch (const Infeasible&) {
            outcome.infeasible = true;
            return outcome;
        }
    }
    if (graph.kind().projective && bound != -INFINITY && graph.automata().are_all)
        outcome.upper_bound = bound;
    else if (!graph.kind().projective)
        Climber(graph, heads.data(), bound != -INFINITY).run();
    outcome.assignment = graph.assignment_of(heads.data());
    outcome.beliefs.assign(outcome.assignment.begin(), outcome.assignment.end());
    outcome.value = graph.value_of(outcome.assignment);
    outcome.converged = true;
    outcome.iterations = 1;
    return outcome;
}

}  // namespace arbora
