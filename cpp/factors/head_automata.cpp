#include "factors/head_automata.hpp"

#include <algorithm>
#include <stdexcept>

#include "factors/running_sums.hpp"
#include "support/exponential.hpp"

namespace arbora {

// One factor's numbers; modifiers are counted from 0. State vectors follow each other: S numbers for the time before
// each modifier, and S for the end.
struct HeadAutomata::Automaton {
    int modifiers, states;
    const double* scores;

    const double* initial() const { return scores; }
    const double* final() const { return scores + states; }
    std::size_t offset(int modifier, int from) const {
        return static_cast<std::size_t>(states) * (2 + static_cast<std::size_t>(modifier) * states + from);
    }
    const double* transitions(int modifier, int from) const { return scores + offset(modifier, from); }
    std::size_t part_count() const { return offset(modifiers, 0); }
    std::size_t state(int time, int state) const { return static_cast<std::size_t>(time) * states + state; }
};

namespace {

using Automaton = HeadAutomata::Automaton;

std::vector<std::size_t> begins_of(const Wiring& wiring, const std::vector<int>& states) {
    if (states.size() != wiring.factors()) throw std::invalid_argument("every automaton must have a number of states");
    std::vector<std::size_t> begins{0};
    for (std::size_t factor = 0; factor < wiring.factors(); ++factor) {
        if (states[factor] < 1) throw std::invalid_argument("an automaton must have at least one state");
        begins.push_back(begins.back() + Automaton{wiring.port_count(factor), states[factor], nullptr}.part_count());
    }
    return begins;
}

double cost(double in) { return in == INFINITY ? 0 : in; }
bool can_pass_by(double in) { return in != INFINITY; }

// before(0, s) = initial(s)
// before(i + 1, s) = before(i, s) [passed by] + sum over r of before(i, r) transition(i, r, s) in(i) [taken]
template <class Running>
double* sums_before(const Automaton& automaton, const double* in, Arena& arena) {
    const int states = automaton.states;
    double* before = arena.take<double>(automaton.state(automaton.modifiers + 1, 0));
    std::copy_n(automaton.initial(), states, before);
    for (int i = 0; i < automaton.modifiers; ++i) {
        const Arena::Frame frame(arena);
        const double* here = before + automaton.state(i, 0);
        double* next = before + automaton.state(i + 1, 0);
        Running sums(states, arena);
        if (can_pass_by(in[i])) sums.add(here, 0, 0, states);
        for (int from = 0; from < states; ++from)
            sums.add(automaton.transitions(i, from), here[from] + cost(in[i]), 0, states);
        for (int to = 0; to < states; ++to) next[to] = sums.value(to);
    }
    return before;
}

// The same from the end: after(p, s) = final(s), and after(i, s) is the sum over what can follow on state s before
// modifier i. On the way the sums over paths that take each modifier, and over those that do not.
template <class Semiring>
double* sums_after(const Automaton& automaton, const double* in, const double* before, double* with, double* without,
                   Arena& arena) {
    const int states = automaton.states;
    double* after = arena.take<double>(automaton.state(automaton.modifiers + 1, 0));
    std::copy_n(automaton.final(), states, after + automaton.state(automaton.modifiers, 0));
    for (int i = automaton.modifiers - 1; i >= 0; --i) {
        const double* next = after + automaton.state(i + 1, 0);
        double* here = after + automaton.state(i, 0);
        for (int from = 0; from < states; ++from)
            here[from] = cost(in[i]) + Semiring::dot(automaton.transitions(i, from), next, states);
        with[i] = Semiring::dot(before + automaton.state(i, 0), here, states);
        without[i] = -INFINITY;
        if (!can_pass_by(in[i])) continue;
        without[i] = Semiring::dot(before + automaton.state(i, 0), next, states);
        for (int from = 0; from < states; ++from) here[from] = Semiring::plus(here[from], next[from]);
    }
    return after;
}

void set_parts(const Automaton& automaton, const double* in, const double* before, const double* after, double total,
               double* parts) {
    const int states = automaton.states, end = automaton.modifiers;
    for (int s = 0; s < states; ++s) {
        parts[s] = exp_bounded(automaton.initial()[s] + after[s] - total);
        parts[states + s] = exp_bounded(before[automaton.state(end, s)] + automaton.final()[s] - total);
    }
    for (int i = 0; i < end; ++i)
        for (int from = 0; from < states; ++from) {
            const double until = before[automaton.state(i, from)] + cost(in[i]) - total;
            const double* transitions = automaton.transitions(i, from);
            const double* next = after + automaton.state(i + 1, 0);
            double* result = parts + automaton.offset(i, from);
            for (int to = 0; to < states; ++to) result[to] = exp_bounded(until + transitions[to] + next[to]);
        }
}

template <class Running>
double propagate_automaton(const Automaton& automaton, const double* in, double* beliefs, double* parts, Arena& arena) {
    using Semiring = typename Running::Semiring;
    const Arena::Frame frame(arena);
    double* with = arena.take<double>(automaton.modifiers);
    double* without = arena.take<double>(automaton.modifiers);
    const double* before = sums_before<Running>(automaton, in, arena);
    const double* after = sums_after<Semiring>(automaton, in, before, with, without, arena);
    const double total = Semiring::dot(automaton.initial(), after, automaton.states);
    if (total == -INFINITY) {
        std::fill_n(beliefs, automaton.modifiers, 0.0);
        if (parts) std::fill_n(parts, automaton.part_count(), 0.0);
        return total;
    }
    for (int i = 0; i < automaton.modifiers; ++i) beliefs[i] = with[i] - without[i];
    if (parts) set_parts(automaton, in, before, after, total, parts);
    return total;
}

// A best path: the state at each time, and whether each modifier was taken.
struct Path {
    double score;
    const int* states;
    const char* taken;
};

// The memory of the path is taken from the arena, and the caller's to give back.
Path best_path(const Automaton& automaton, const double* in, Arena& arena) {
    const int count = automaton.modifiers, states = automaton.states;
    constexpr int passed_by = -1;
    int* path = arena.take<int>(count + 1);
    char* taken = arena.take<char>(count);
    const Arena::Frame frame(arena);
    double* best = arena.take<double>(automaton.state(count + 1, 0), -INFINITY);
    int* previous = arena.take<int>(automaton.state(count + 1, 0), passed_by);
    std::copy_n(automaton.initial(), states, best);
    for (int i = 0; i < count; ++i) {
        const double* here = best + automaton.state(i, 0);
        double* next = best + automaton.state(i + 1, 0);
        int* arrived = previous + automaton.state(i + 1, 0);
        if (can_pass_by(in[i])) std::copy_n(here, states, next);
        for (int from = 0; from < states; ++from) {
            const double until = here[from] + cost(in[i]);
            const double* transitions = automaton.transitions(i, from);
            for (int to = 0; to < states; ++to) {
                const double value = until + transitions[to];
                arrived[to] = value > next[to] ? from : arrived[to];
                next[to] = value > next[to] ? value : next[to];
            }
        }
    }
    double highest = -INFINITY;
    int at = 0;
    for (int s = 0; s < states; ++s) {
        const double value = best[automaton.state(count, s)] + automaton.final()[s];
        if (value <= highest) continue;
        highest = value;
        at = s;
    }
    if (highest == -INFINITY) return {highest, path, taken};
    path[count] = at;
    for (int i = count; i > 0; --i) {
        const int from = previous[automaton.state(i, at)];
        taken[i - 1] = from != passed_by;
        if (taken[i - 1]) at = from;
        path[i - 1] = at;
    }
    return {highest, path, taken};
}

// The best path that takes exactly these modifiers.
Path best_path_with(const Automaton& automaton, std::span<const int> active, Arena& arena) {
    double* in = arena.take<double>(automaton.modifiers, -INFINITY);
    for (int port : active) in[port] = INFINITY;
    return best_path(automaton, in, arena);
}

}  // namespace

HeadAutomata::HeadAutomata(Wiring wiring, std::vector<int> states, std::vector<double> scores)
    : FactorGroup(wiring, std::move(scores), begins_of(wiring, states)), states_(std::move(states)) {
    for (std::size_t input = 0; input < wiring.inputs(); ++input)
        if (wiring.is_category(input)) throw std::invalid_argument("modifiers must be binary variables");
    if (part_scores().size() != part_begin(size()))
        throw std::invalid_argument("there must be scores for states to begin with, to end with, and transitions");
}

HeadAutomata::Automaton HeadAutomata::automaton(std::size_t factor) const {
    return {wiring().port_count(factor), states_[factor], part_scores().data() + part_begin(factor)};
}

double HeadAutomata::sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena& arena) const {
    return propagate_automaton<RunningLogSums>(automaton(factor), in, beliefs, parts, arena);
}

double HeadAutomata::max(std::size_t factor, const double* in, double* beliefs, Arena& arena) const {
    return propagate_automaton<RunningMaxima>(automaton(factor), in, beliefs, nullptr, arena);
}

double HeadAutomata::best(std::size_t factor, const double* in, Configuration& found, Arena& arena) const {
    const Arena::Frame frame(arena);
    const Automaton automaton = this->automaton(factor);
    const Path path = best_path(automaton, in, arena);
    found.active.clear();
    if (path.score == -INFINITY) return path.score;
    found.inner = automaton.initial()[path.states[0]] + automaton.final()[path.states[automaton.modifiers]];
    for (int i = 0; i < automaton.modifiers; ++i) {
        if (!path.taken[i]) continue;
        found.active.push_back(i);
        found.inner += automaton.transitions(i, path.states[i])[path.states[i + 1]];
    }
    return path.score;
}

double HeadAutomata::score(std::size_t factor, std::span<const int> active, Arena& arena) const {
    const Arena::Frame frame(arena);
    return best_path_with(automaton(factor), active, arena).score;
}

void HeadAutomata::add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                             Arena& arena) const {
    const Arena::Frame frame(arena);
    const Automaton automaton = this->automaton(factor);
    const Path path = best_path_with(automaton, active, arena);
    parts[path.states[0]] += weight;
    parts[automaton.states + path.states[automaton.modifiers]] += weight;
    for (int i : active) parts[automaton.offset(i, path.states[i]) + path.states[i + 1]] += weight;
}

// A flow of one through the states over time: a column for each state to begin with and to end with, for each
// transition, and for each state in which a modifier is passed by. A modifier's port is what its transitions carry.
void HeadAutomata::polytope(std::size_t factor, TreeRows, Polytope& rows) const {
    const Automaton automaton = this->automaton(factor);
    const int count = automaton.modifiers, states = automaton.states;
    std::vector<std::vector<Polytope::Term>> flow(automaton.state(count + 1, 0)), taken(count);
    std::vector<Polytope::Term> begun;
    for (int s = 0; s < states; ++s) {
        const int begin = rows.new_column(automaton.initial()[s]);
        begun.push_back({begin, 1});
        flow[automaton.state(0, s)].push_back({begin, 1});
        flow[automaton.state(count, s)].push_back({rows.new_column(automaton.final()[s]), -1});
    }
    const auto add_step = [&](int time, int from, int to, double score) {
        const int column = rows.new_column(score);
        flow[automaton.state(time, from)].push_back({column, -1});
        flow[automaton.state(time + 1, to)].push_back({column, 1});
        return column;
    };
    for (int i = 0; i < count; ++i)
        for (int from = 0; from < states; ++from) {
            add_step(i, from, from, 0);
            for (int to = 0; to < states; ++to)
                taken[i].push_back({add_step(i, from, to, automaton.transitions(i, from)[to]), 1});
        }
    rows.add_row(1, 1, begun);
    for (const auto& terms : flow) rows.add_row(0, 0, terms);
    for (int i = 0; i < count; ++i) {
        taken[i].push_back({i, -1});
        rows.add_row(0, 0, taken[i]);
    }
}

std::shared_ptr<const FactorGroup> HeadAutomata::scaled(double multiplier) const {
    return std::make_shared<HeadAutomata>(wiring(), states_, scaled_scores(multiplier));
}

}  // namespace arbora
