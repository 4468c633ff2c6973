#include "solvers/read_out.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "solvers/climb.hpp"
#include "solvers/incidence.hpp"
#include "support/interruption.hpp"

namespace arbora {
namespace {

constexpr int rounds = 40;
constexpr double first_step = 0.5, growth = 1.4;

enum : std::int8_t { open = -1, off = 0, on = 1 };

class ReadOut {
public:
    ReadOut(const MessageState& state, Arena& arena)
        : state_(state),
          graph_(state.graph()),
          variables_(graph_.variables()),
          arena_(arena),
          bias_(graph_.slots(), 0.0),
          buffers_(state.groups()),
          messages_(state.groups(), nullptr),
          order_(groups_by_size(state)) {
        std::reverse(order_.begin(), order_.end());
    }

    double run(Assignment& assignment) {
        double step = first_step;
        for (int round = 0; round < rounds; ++round, step *= growth) {
            decide_all(assignment);
            const double value = graph_.value(assignment, arena_);
            if (value != -INFINITY) return value;
            if (!move_towards_conflicts(assignment, step)) break;
        }
        assignment.clear();
        return -INFINITY;
    }

private:
    void decide_all(Assignment& assignment) {
        decided_.assign(graph_.slots(), open);
        open_ = variables_.count();
        for (int v = 0; v < variables_.count(); ++v) decide_certain(v);
        visited_.assign(state_.groups(), {});
        for (std::size_t g = 0; g < state_.groups(); ++g) visited_[g].assign(state_.group(g).size(), 0);
        for (std::size_t g : order_)
            for (std::size_t factor = 0; factor < state_.group(g).size() && open_ > 0; ++factor) {
                Interruption::heed();
                visit(g, factor);
                visit_neighbours();
            }
        for (int v = 0; v < variables_.count(); ++v) decide_alone(v);
        assignment.assign(decided_.begin(), decided_.end());
    }

    // What the messages leave no choice about.
    void decide_certain(int v) {
        const int first = variables_.first(v);
        if (!variables_.is_category(v)) {
            const double total = state_.totals()(first);
            if (std::isinf(total)) decide(v, total > 0);
            return;
        }
        int possible = 0, last = 0;
        for (int i = 0; i < variables_.size(v); ++i)
            if (state_.totals()(first + i) != -INFINITY) ++possible, last = i;
        if (possible == 1) decide(v, last);
    }

    // What no factor has decided.
    void decide_alone(int v) {
        const int first = variables_.first(v);
        if (decided_[first] != open) return;
        if (!variables_.is_category(v)) return decide(v, score(first) > 0);
        int best = 0;
        for (int i = 1; i < variables_.size(v); ++i)
            if (score(first + i) > score(first + best)) best = i;
        decide(v, best);
    }

    double score(int slot) const { return state_.totals()(slot) + bias_[slot]; }

    void decide(int v, int value) {
        const int first = variables_.first(v);
        if (decided_[first] != open) return;
        --open_;
        if (variables_.is_category(v))
            for (int i = 0; i < variables_.size(v); ++i) decided_[first + i] = i == value;
        else
            decided_[first] = value != 0;
        fresh_.push_back(v);
    }

    // A factor decides what it sees and what is still open.
    void visit(std::size_t g, std::size_t factor) {
        if (visited_[g][factor]) return;
        visited_[g][factor] = 1;
        const Wiring& wiring = state_.group(g).wiring();
        bool has_open = false;
        for (std::size_t port = wiring.port_begin(factor); port < wiring.port_end(factor); ++port)
            has_open |= decided_[wiring.slot(port)] == open;
        if (has_open && ask(g, factor, true)) take_over(wiring, factor);
    }

    // Its best configuration; false if there is none.
    bool ask(std::size_t g, std::size_t factor, bool given_what_is_decided) {
        const Arena::Frame frame(arena_);
        const Wiring& wiring = state_.group(g).wiring();
        const std::size_t begin = wiring.port_begin(factor);
        double* in = arena_.take<double>(wiring.port_count(factor));
        if (!messages_[g]) messages_[g] = state_.logarithms(g, buffers_[g]);
        state_.group(g).gather(factor, state_.totals(), messages_[g], in);
        for (std::size_t input = wiring.input_begin(factor); input < wiring.input_end(factor); ++input)
            for (int i = 0; i < wiring.input_size(input); ++i) {
                const std::size_t port = wiring.input_port(input) + i;
                const int slot = wiring.slot(port);
                double& given = in[port - begin];
                given += wiring.is_negated(port) ? -bias_[slot] : bias_[slot];
                if (!given_what_is_decided || decided_[slot] == open) continue;
                const bool is_true = (decided_[slot] == on) != wiring.is_negated(port);
                if (!is_true)
                    given = -INFINITY;
                else if (!wiring.is_category(input))
                    given = INFINITY;
            }
        return state_.group(g).best(factor, in, found_, arena_) != -INFINITY;
    }

    void take_over(const Wiring& wiring, std::size_t factor) {
        const std::size_t begin = wiring.port_begin(factor);
        is_active_.assign(wiring.port_count(factor), 0);
        for (int port : found_.active) is_active_[port] = 1;
        for (std::size_t input = wiring.input_begin(factor); input < wiring.input_end(factor); ++input) {
            const std::size_t port = wiring.input_port(input);
            if (!wiring.is_category(input)) {
                decide(wiring.variable(input), is_active_[port - begin] != wiring.is_negated(port));
                continue;
            }
            for (int i = 0; i < wiring.input_size(input); ++i)
                if (is_active_[port + i - begin]) decide(wiring.variable(input), i);
        }
    }

    // All factors that are connected with what was decided, nearest first.
    void visit_neighbours() {
        for (std::size_t next = 0; next < fresh_.size() && open_ > 0; ++next)
            for (const auto& [number, port] : incidence().at(variables_.first(fresh_[next])))
                visit(incidence().group(number), incidence().within(number));
        fresh_.clear();
    }

    // For each factor that the assignment breaks: scores move from what it is to what the factor wants. False if nothing
    // moves, so that another round would be the same.
    bool move_towards_conflicts(const Assignment& assignment, double step) {
        bool has_moved = false;
        std::vector<int> active;
        for (std::size_t g = 0; g < state_.groups(); ++g) {
            const FactorGroup& group = state_.group(g);
            const Wiring& wiring = group.wiring();
            for (std::size_t factor = 0; factor < group.size(); ++factor) {
                Interruption::heed();
                FactorGraph::active_ports(group, factor, assignment, active);
                if (group.score(factor, active, arena_) != -INFINITY || !ask(g, factor, false)) continue;
                const std::size_t begin = wiring.port_begin(factor);
                is_active_.assign(wiring.port_count(factor), 0);
                for (int port : found_.active) ++is_active_[port];
                for (int port : active) --is_active_[port];
                for (std::size_t i = 0; i < is_active_.size(); ++i) {
                    const double sign = wiring.is_negated(begin + i) ? -1 : 1;
                    bias_[wiring.slot(begin + i)] += sign * step * is_active_[i];
                    has_moved |= is_active_[i] != 0;
                }
            }
        }
        return has_moved;
    }

    const Incidence& incidence() {
        if (!incidence_) incidence_.emplace(state_);
        return *incidence_;
    }

    const MessageState& state_;
    const FactorGraph& graph_;
    const Variables& variables_;
    Arena& arena_;
    std::vector<double> bias_;
    std::vector<std::vector<double>> buffers_;
    std::vector<const double*> messages_;  // null until they are needed
    std::vector<std::size_t> order_;
    std::optional<Incidence> incidence_;
    std::vector<std::int8_t> decided_;
    std::vector<std::vector<char>> visited_;
    std::vector<int> fresh_;  // decided, and the neighbours not yet visited
    int open_ = 0;
    Configuration found_;
    std::vector<int> is_active_;
};

}  // namespace

double read_out(const MessageState& state, Assignment& assignment, Arena& arena) {
    double value = ReadOut(state, arena).run(assignment);
    if (value != -INFINITY) value = climb(state.graph(), assignment, value, arena);
    return value;
}

}  // namespace arbora
