// Arithmetic: exponentials, numbers of wide range, random numbers, threads.
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "support/exponential.hpp"
#include "support/lanes.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"
#include "support/wide.hpp"
#include "support/wide_lanes.hpp"

using namespace arbora;

TEST(exp_bounded_is_right_to_two_ulp) {
    for (double x = -699; x < 700; x += 0.173) {
        const double expected = std::exp(x);
        CHECK(std::abs(exp_bounded(x) - expected) <= 4.5e-16 * expected);
        CHECK(exp_bounded(all_lanes(x))[2] == exp_bounded(x));
    }
    CHECK(exp_bounded(0.0) == 1);
    CHECK(exp_bounded(-INFINITY) == 0);
    CHECK(exp_bounded(-1e9) == 0);
}

TEST(wide_numbers_keep_their_precision) {
    const Wide huge = Wide::exp(1e6, 0), tiny = Wide::exp(-1e6, 0);
    CHECK(std::abs((huge * tiny).value() - 1) < 1e-13);
    CHECK(std::abs((huge + huge).log() - (1e6 + std::log(2))) < 1e-9);
    CHECK((huge + tiny).log() == huge.log());
    CHECK((tiny / tiny).value() == 1);
    CHECK(tiny.value() == 0);
    CHECK(Wide().is_zero() && (Wide() * huge).is_zero() && (Wide() + Wide(3)).value() == 3);
    CHECK(Wide::exp(-INFINITY, 0).is_zero());
    CHECK(Wide(0.1).value() == 0.1);
    CHECK(std::abs(Wide::exp(2.5, 1e-20).value() - std::exp(2.5)) < 1e-14);
}

TEST(four_wide_numbers_are_as_one) {
    Random random(7, 0);
    const auto draw = [&] {
        const double x = random.uniform();
        return x < 0.2 ? Wide() : Wide::exp((random.uniform() - 0.5) * (x < 0.6 ? 10 : 1e6), 0);
    };
    const auto same = [](Wide a, Wide b) {
        return a.is_zero() ? b.is_zero() : std::abs(a.log() - b.log()) <= 1e-15 + 1e-15 * std::abs(a.log());
    };
    for (int round = 0; round < 1000; ++round) {
        Wide a[16], b[4], c[4], found[4];
        for (Wide& x : a) x = draw();
        for (Wide& x : b) x = draw();
        for (Wide& x : c) x = draw();
        const WideLanes first = load(a), second = load(b), third = load(c), below(a, 4);
        store(found, first + second * third);
        for (int l = 0; l < 4; ++l) CHECK(same(found[l], a[l] + b[l] * c[l]));
        store(found, WideLanes::multiple_of_sum(first, second, third));
        for (int l = 0; l < 4; ++l) CHECK(same(found[l], a[l] + b[l] + c[l]));
        store(found, below);
        for (int l = 0; l < 4; ++l) CHECK(same(found[l], a[4 * l]));
        CHECK(same(sum_of_lanes(first), a[0] + a[1] + a[2] + a[3]));
        const Lanes logs = in_order((first * second * third).log());
        for (int l = 0; l < 4; ++l) {
            const double right = (a[l] * b[l] * c[l]).log();
            CHECK(logs[l] == right || std::abs(logs[l] - right) <= 1e-15 + 1e-15 * std::abs(right));
        }
    }
}

TEST(random_streams_differ_and_repeat) {
    Random a(1, 0), b(1, 1), again(1, 0);
    double mean = 0;
    for (int i = 0; i < 10000; ++i) {
        const double x = a.uniform();
        CHECK(x >= 0 && x < 1);
        CHECK(x == again.uniform());
        CHECK(x != b.uniform());
        mean += x / 10000;
    }
    CHECK(std::abs(mean - 0.5) < 0.02);
}

TEST(parallel_for_visits_each_once_and_passes_errors_on) {
    for (int threads : {0, 1, 2, 5}) {
        std::vector<std::atomic<int>> visits(100);
        parallel_for(100, threads, [&](std::size_t i) { ++visits[i]; });
        for (auto& count : visits) CHECK(count == 1);
        bool thrown = false;
        try {
            parallel_for(10, threads, [](std::size_t i) {
                if (i == 7) throw std::runtime_error("seven");
            });
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        CHECK(thrown);
    }
}
