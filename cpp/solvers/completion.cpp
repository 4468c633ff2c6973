#include "solvers/completion.hpp"
#include "support/interruption.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace arbora {
namespace {

constexpr int attempts = 6;

class Completion {
public:
    Completion(const Copies& copies, const std::vector<double>& preferences, Assignment& assignment, Arena& arena)
        : copies_(copies),
          graph_(copies.graph()),
          preferences_(preferences),
          assignment_(assignment),
          arena_(arena),
          urgency_(copies.factors(), 0) {
        for (int factor = 0; factor < copies.factors(); ++factor) urgency_[factor] = copies.is_structure(factor);
    }

    bool run() {
        for (int attempt = 0; attempt < attempts; ++attempt) {
            const int stuck = try_once();
            if (stuck < 0) return true;
            urgency_[stuck] = attempt + 2;
        }
        return false;
    }

private:
    // The factor that had no choice left; -1 if there was none.
    int try_once() {
        begin();
        while (!waiting_.empty()) {
            Interruption::heed();
            const auto [urgency, negative_undecided, negative_factor] = waiting_.top();
            waiting_.pop();
            const int factor = -negative_factor;
            if (-negative_undecided != undecided_[factor] || undecided_[factor] == 0) continue;
            if (!decide(factor)) return factor;
        }
        return -1;
    }

    void begin() {
        decided_.assign(graph_.slots(), 0);
        undecided_.assign(copies_.factors(), 0);
        waiting_ = {};
        const Variables& variables = graph_.variables();
        for (int v = 0; v < variables.count(); ++v) {
            decide_alone(graph_, v, assignment_);
            const int first = variables.first(v);
            const bool is_known = graph_.is_clamped(v) || (!variables.is_category(v) && !copies_.is_free(first));
            if (is_known) std::fill_n(decided_.begin() + first, variables.size(v), 1);
        }
        for (int port = 0; port < copies_.ports(); ++port)
            undecided_[copies_.factor_of(port)] += !decided_[copies_.slot(port)];
        for (int factor = 0; factor < copies_.factors(); ++factor) wait(factor);
    }

    void wait(int factor) { waiting_.emplace(urgency_[factor], -undecided_[factor], -factor); }

    bool decide(int factor) {
        const Arena::Frame frame(arena_);
        const int begin = copies_.port_begin(factor), end = copies_.port_end(factor);
        double* in = arena_.take<double>(end - begin);
        for (int port = begin; port < end; ++port) in[port - begin] = given(port);
        if (copies_.group(factor).best(copies_.number_in_group(factor), in, found_, arena_) == -INFINITY) return false;
        auto active = found_.active.begin();
        for (int port = begin; port < end; ++port) {
            const bool is_active = active != found_.active.end() && *active == port - begin;
            active += is_active;
            const int slot = copies_.slot(port);
            if (decided_[slot]) continue;
            decided_[slot] = 1;
            assignment_[slot] = is_active != copies_.is_negated(port);
            for (int other : copies_.ports_of(slot)) {
                const int seer = copies_.factor_of(other);
                --undecided_[seer];
                if (undecided_[seer]) wait(seer);
            }
        }
        return true;
    }

    // What a factor is told of a copy: what is decided, or else what is preferred.
    double given(int port) const {
        const int slot = copies_.slot(port);
        if (!decided_[slot])
            return copies_.is_free(slot) ? copies_.as_port_sees(port, preferences_[slot])
                                         : copies_.as_port_sees(port, graph_.unary(slot));
        if (graph_.variables().is_category(copies_.variable_of(slot))) return assignment_[slot] ? 0 : -INFINITY;
        return copies_.as_port_sees(port, assignment_[slot] ? INFINITY : -INFINITY);
    }

    const Copies& copies_;
    const FactorGraph& graph_;
    const std::vector<double>& preferences_;
    Assignment& assignment_;
    Arena& arena_;
    std::vector<int> urgency_, undecided_;
    std::vector<char> decided_;
    std::priority_queue<std::tuple<int, int, int>> waiting_;
    Configuration found_;
};

}  // namespace

bool complete(const Copies& copies, const std::vector<double>& preferences, Assignment& assignment, Arena& arena) {
    return Completion(copies, preferences, assignment, arena).run();
}

}  // namespace arbora
