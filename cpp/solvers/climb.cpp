#include "solvers/climb.hpp"
#include "support/interruption.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace arbora {
namespace {

constexpr long long cheap = 64;  // ports of all factors of a variable together
constexpr int passes = 3;

class Climb {
public:
    Climb(const FactorGraph& graph, Assignment& assignment, Arena& arena)
        : graph_(graph), assignment_(assignment), arena_(arena), cost_(graph.slots(), 0), seen_by_(graph.slots()) {
        for (const auto& group : graph.groups())
            for (std::size_t f = 0; f < group->size(); ++f)
                for (std::size_t port = group->wiring().port_begin(f); port < group->wiring().port_end(f); ++port)
                    cost_[group->wiring().slot(port)] += group->wiring().port_count(f);
        for (std::size_t g = 0; g < graph.groups().size(); ++g) {
            const Wiring& wiring = graph.groups()[g]->wiring();
            for (std::size_t f = 0; f < wiring.factors(); ++f)
                for (std::size_t input = wiring.input_begin(f); input < wiring.input_end(f); ++input) {
                    const int slot = wiring.slot(wiring.input_port(input));
                    if (cost_[slot] <= cheap) seen_by_[slot].push_back({g, f});
                }
        }
    }

    bool pass() {
        const Variables& variables = graph_.variables();
        bool has_changed = false;
        for (int v = 0; v < variables.count(); ++v) {
            Interruption::heed();
            const int first = variables.first(v);
            if (cost_[first] > cheap || graph_.is_clamped(v)) continue;
            if (variables.is_category(v))
                for (int i = 0; i < variables.size(v); ++i) has_changed |= try_value(first, variables.size(v), i);
            else
                has_changed |= try_flip(first);
        }
        return has_changed;
    }

private:
    bool try_flip(int slot) {
        const double before = local_value(slot, 1);
        assignment_[slot] ^= 1;
        if (local_value(slot, 1) > before) return true;
        assignment_[slot] ^= 1;
        return false;
    }

    bool try_value(int first, int size, int value) {
        if (assignment_[first + value]) return false;
        const auto begin = assignment_.begin() + first;
        const int old = static_cast<int>(std::find(begin, begin + size, 1) - begin);
        const double before = local_value(first, size);
        std::swap(assignment_[first + old], assignment_[first + value]);
        if (local_value(first, size) > before) return true;
        std::swap(assignment_[first + old], assignment_[first + value]);
        return false;
    }

    // All scores that hang on a variable.
    double local_value(int first, int size) const {
        double total = 0;
        for (int i = first; i < first + size; ++i)
            if (assignment_[i]) total += graph_.unary(i);
        for (const auto& [group, factor] : seen_by_[first]) {
            if (total == -INFINITY) break;
            total += graph_.factor_value(group, factor, assignment_, arena_);
        }
        return total;
    }

    const FactorGraph& graph_;
    Assignment& assignment_;
    Arena& arena_;
    std::vector<long long> cost_;
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> seen_by_;
};

}  // namespace

double climb(const FactorGraph& graph, Assignment& assignment, double value, Arena& arena) {
    Climb steps(graph, assignment, arena);
    for (int i = 0; i < passes && steps.pass(); ++i) value = graph.value(assignment, arena);
    return value;
}

}  // namespace arbora
