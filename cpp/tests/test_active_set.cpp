// The projection that needs nothing but `best`, on factors that are plain lists of configurations: its result is
// checked by the conditions that only the optimum satisfies.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "factors/factor_group.hpp"
#include "support/random.hpp"

using namespace arbora;

namespace {

class Listed : public FactorGroup {
public:
    Listed(Wiring wiring, std::vector<Configuration> list)
        : FactorGroup(std::move(wiring), {}, {}), list_(std::move(list)) {}

    const char* kind() const override { return "Listed"; }
    double sum(std::size_t, const double*, double*, double*, Arena&) const override { return 0; }
    double max(std::size_t, const double*, double*, Arena&) const override { return 0; }
    void polytope(std::size_t, TreeRows, Polytope&) const override {}
    double score(std::size_t, std::span<const int>, Arena&) const override { return 0; }
    void add_parts(std::size_t, std::span<const int>, double, double*, Arena&) const override {}

    double best(std::size_t, const double* in, Configuration& found, Arena&) const override {
        double highest = -INFINITY;
        for (const Configuration& one : list_) {
            const double value = total(one, in);
            if (value > highest) {
                highest = value;
                found = one;
            }
        }
        return highest;
    }

    double total(const Configuration& one, const double* in) const {
        double value = one.inner;
        std::ptrdiff_t certain = std::count(in, in + wiring().ports(), INFINITY);
        for (int port : one.active) {
            if (in[port] == INFINITY)
                --certain;
            else
                value += in[port];
        }
        return certain ? -INFINITY : value;
    }

    const std::vector<Configuration>& list() const { return list_; }

private:
    std::vector<Configuration> list_;
};

Listed random_factor(int ports, double share, double scale, Random& random) {
    Variables variables;
    std::vector<Input> inputs;
    for (int port = 0; port < ports; ++port) inputs.push_back({variables.add_binary()});
    Wiring wiring;
    wiring.add_factor(variables, inputs);
    std::vector<Configuration> list;
    for (int bits = 0; bits < 1 << ports; ++bits) {
        if (random.uniform() >= share) continue;
        Configuration one;
        for (int port = 0; port < ports; ++port)
            if (bits >> port & 1) one.active.push_back(port);
        one.inner = scale * (2 * random.uniform() - 1);
        if (scale > 100) one.inner = std::floor(one.inner);
        list.push_back(one);
    }
    return Listed(std::move(wiring), std::move(list));
}

// How far the weights in the cache are from optimal, and z from what they say.
void check_optimal(const Listed& factor, const std::vector<double>& a, double penalty, const std::vector<double>& z,
                   const ActiveSet& cache) {
    std::vector<double> point(a.size(), 0.0), slope(a.size());
    double weights = 0, scale = 1;
    for (std::size_t i = 0; i < cache.weights.size(); ++i) {
        CHECK(cache.weights[i] >= 0);
        weights += cache.weights[i];
        for (int port : cache.configurations[i].active) point[port] += cache.weights[i];
    }
    CHECK(std::abs(weights - 1) < 1e-12);
    for (std::size_t port = 0; port < a.size(); ++port) {
        CHECK(std::abs(point[port] - z[port]) < 1e-12);
        slope[port] = std::isinf(a[port]) ? a[port] : penalty * (a[port] - z[port]);
        scale += std::isinf(a[port]) ? 0 : std::abs(slope[port]);
    }
    double reached = 0, highest = -INFINITY;
    for (std::size_t i = 0; i < cache.weights.size(); ++i) {
        reached += cache.weights[i] * factor.total(cache.configurations[i], slope.data());
        scale = std::max(scale, std::abs(cache.configurations[i].inner));
    }
    for (const Configuration& one : factor.list()) highest = std::max(highest, factor.total(one, slope.data()));
    CHECK(highest - reached < 1e-12 * scale);
}

}  // namespace

TEST(projection_by_active_set_is_optimal_and_warm_starts_agree) {
    Random random(5);
    Arena arena;
    for (int trial = 0; trial < 300; ++trial) {
        const int ports = 1 + trial % 8;
        const double scale = trial % 5 == 0 ? 0 : trial % 5 == 1 ? 1e4 : 1;
        const Listed factor = random_factor(ports, trial % 3 ? 1.0 : 0.3, scale, random);
        double penalty = 1;
        ActiveSet warm;
        std::vector<double> a(ports), z(ports), again(ports);
        for (double& value : a) value = 4 * random.uniform() - 2;
        for (int move = 0; move < 20; ++move) {
            const double far = move % 7 ? 0.2 : 3;
            for (double& value : a) value = std::isinf(value) ? 0 : value + far * (random.uniform() - 0.5);
            if (move % 5 == 4) a[random.bits() % ports] = move % 2 ? INFINITY : -INFINITY;
            if (move % 6 == 5) penalty = 0.01 + 10 * random.uniform();
            ActiveSet cold;
            const bool is_possible = factor.project(0, a.data(), penalty, again.data(), cold, arena);
            CHECK(factor.project(0, a.data(), penalty, z.data(), warm, arena) == is_possible);
            Configuration found;
            CHECK(is_possible == (factor.best(0, a.data(), found, arena) != -INFINITY));
            if (!is_possible) continue;
            check_optimal(factor, a, penalty, z, warm);
            check_optimal(factor, a, penalty, again, cold);
            for (int port = 0; port < ports; ++port) CHECK(std::abs(z[port] - again[port]) < 1e-6);
        }
        warm.factor.clear();  // as if somebody else had filled it
        if (factor.project(0, a.data(), penalty, z.data(), warm, arena)) check_optimal(factor, a, penalty, z, warm);
    }
}

TEST(projection_fixes_values_of_a_category) {
    Variables variables;
    variables.add_category(3);
    Wiring wiring;
    const Input input{0};
    wiring.add_factor(variables, std::span(&input, 1));
    const Listed factor(std::move(wiring), {{{0}, 0}, {{1}, 0}, {{2}, 0}});
    Arena arena;
    ActiveSet cache;
    std::vector<double> z(3);
    const double free[] = {0.5, 0.4, -3}, one[] = {0.5, INFINITY, -3}, two[] = {INFINITY, INFINITY, 0};
    CHECK(factor.project(0, free, 2, z.data(), cache, arena));
    CHECK(std::abs(z[0] - 0.55) < 1e-12 && std::abs(z[1] - 0.45) < 1e-12 && z[2] == 0);
    CHECK(factor.project(0, one, 2, z.data(), cache, arena) && z[0] == 0 && z[1] == 1 && z[2] == 0);
    CHECK(!factor.project(0, two, 2, z.data(), cache, arena));
}
