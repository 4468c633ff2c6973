// Arithmetic: exponentials, numbers of wide range, random numbers, threads.
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "support/exponential.hpp"
#include "support/interruption.hpp"
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
    constexpr int count = 12;
    CellVector<Wide> rooms[5];
    for (CellVector<Wide>& room : rooms) room.resize(count);
    const WideCells a = rooms[0].cells(), b = rooms[1].cells(), c = rooms[2].cells(), found = rooms[3].cells();
    const WideCells copy = rooms[4].cells();
    for (int round = 0; round < 1000; ++round) {
        for (int i = 0; i < count; ++i) {
            a[i] = draw();
            b[i] = draw();
            c[i] = draw();
        }
        const WideLanes first = load(a), second = load(b), third = load(c);
        const auto check = [&](const WideLanes& lanes, auto expected) {
            store(found, lanes);
            for (int l = 0; l < lane_count; ++l) CHECK(same(found[l], expected(Wide(a[l]), Wide(b[l]), Wide(c[l]))));
        };
        check(first + second * third, [](Wide x, Wide y, Wide z) { return x + y * z; });
        check(WideLanes::multiple_of_sum(first, second, third), [](Wide x, Wide y, Wide z) { return x + y + z; });
        check(spread(a + 5), [&](Wide, Wide, Wide) { return a[5]; });
        check(first + 1, [](Wide x, Wide, Wide) { return x + 1; });
        const WideLanes one = all_lanes(Wide(1));
        check(first * (one / (second + one)), [](Wide x, Wide y, Wide) { return x / (y + Wide(1)); });
        Wide sum;
        for (int i = 0; i < count; ++i) sum += a[i];
        for (int l = 0; l < lane_count; ++l) CHECK(same(sum_of(a, count).normal()[l], sum));
        const Lanes logs = (first * second * third).log();
        for (int l = 0; l < lane_count; ++l) {
            const double right = (Wide(a[l]) * Wide(b[l]) * Wide(c[l])).log();
            CHECK(logs[l] == right || std::abs(logs[l] - right) <= 1e-15 + 1e-15 * std::abs(right));
        }
        copy_cells(a, count, copy);
        store_up_to(copy, 2, second);
        for (int i = 0; i < count; ++i) CHECK(same(copy[i], i < 2 ? b[i] : a[i]));
        set_to_zero(copy + 1, 2);
        CHECK(same(copy[0], b[0]) && Wide(copy[1]).is_zero() && Wide(copy[2]).is_zero() && same(copy[3], a[3]));
    }
}

TEST(four_wide_exponentials_are_as_one) {
    Random random(8, 0);
    for (int round = 0; round < 1000; ++round) {
        Lanes high, low;
        for (int l = 0; l < lane_count; ++l) {
            high[l] = (random.uniform() - 0.5) * (round % 2 ? 10 : 1e7);
            low[l] = (random.uniform() - 0.5) * 1e-10;
        }
        high[round % lane_count] = -INFINITY;
        const WideLanes found = WideLanes::exp(high, low);
        for (int l = 0; l < lane_count; ++l) {
            const Wide expected = Wide::exp(high[l], low[l]);
            CHECK(found[l].is_zero() == expected.is_zero());
            if (!expected.is_zero()) CHECK(std::abs((found[l] / expected).value() - 1) <= 4.5e-16);
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

TEST(an_interruption_of_the_caller_ends_the_tasks_of_all_threads) {
    for (int threads : {1, 2, 5}) {
        const Interruption interruption([] { throw std::runtime_error("stop"); });
        bool thrown = false;
        try {
            parallel_for(8, threads, [](std::size_t) {
                for (;;) Interruption::heed();
            });
        } catch (const std::runtime_error& error) {
            thrown = std::string(error.what()) == "stop";
        }
        CHECK(thrown);
    }
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
