#pragma once
#include <algorithm>
#include <cmath>

#include "factors/graph.hpp"

// A factor that is a list of configurations with scores: every oracle that solvers with bounds use, written out.
class ListFactor : public arbora::FactorGroup {
public:
    ListFactor(arbora::Wiring wiring, std::vector<arbora::Configuration> list, bool is_structure = false)
        : FactorGroup(std::move(wiring), {}, {}), list_(std::move(list)), is_structure_(is_structure) {}

    const char* kind() const override { return "List"; }
    bool is_structure() const override { return is_structure_; }

    double best(std::size_t, const double* in, arbora::Configuration& found, arbora::Arena&) const override {
        double highest = -INFINITY;
        const int ports = static_cast<int>(wiring().ports());
        for (const arbora::Configuration& one : list_) {
            double total = one.inner;
            bool fits = one.inner != -INFINITY;
            for (int port = 0; port < ports; ++port) {
                const bool is_active = std::binary_search(one.active.begin(), one.active.end(), port);
                if (in[port] == INFINITY ? !is_active : is_active && in[port] == -INFINITY) fits = false;
                if (is_active && std::isfinite(in[port])) total += in[port];
            }
            if (!fits || total <= highest) continue;
            highest = total;
            found = one;
        }
        return highest;
    }
    double score(std::size_t, std::span<const int> active, arbora::Arena&) const override {
        double highest = -INFINITY;
        for (const arbora::Configuration& one : list_)
            if (std::equal(one.active.begin(), one.active.end(), active.begin(), active.end()))
                highest = std::max(highest, one.inner);
        return highest;
    }
    void add_parts(std::size_t, std::span<const int>, double, double*, arbora::Arena&) const override {}
    double sum(std::size_t, const double*, double*, double*, arbora::Arena&) const override { return 0; }
    double max(std::size_t, const double*, double*, arbora::Arena&) const override { return 0; }
    void polytope(std::size_t, arbora::TreeRows, arbora::Polytope&) const override {}

private:
    std::vector<arbora::Configuration> list_;
    bool is_structure_;
};
