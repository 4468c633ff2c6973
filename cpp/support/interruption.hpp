#pragma once
#include <atomic>
#include <chrono>
#include <ctime>

namespace arbora {

// While it lives, long computations of this thread ask `check` now and then whether to go on; it throws if not. So
// Ctrl-C reaches a solver, and the core need not know who listens for it. On other threads that work for this one a
// flag says that all is over: only one thread asks, the others look (see run_in_parallel).
class Interruption {
public:
    using Check = void (*)();
    // What ends a thread's work when the flag is up; the reason is known to whoever raised it.
    struct Over {};

    explicit Interruption(Check check) : Interruption(State{check, nullptr}) {}
    explicit Interruption(const std::atomic<bool>& over) : Interruption(State{nullptr, &over}) {}
    ~Interruption() { current() = before_; }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    // Asks, if there is somebody to ask who was not asked within the last moments.
    static void heed() {
        State* state = current();
        if (!state) return;
        if (state->over) {
            if (state->over->load(std::memory_order_relaxed)) throw Over{};
            return;
        }
        const auto now = coarse_now();
        if (now < state->next) return;
        const bool is_first = state->next == Clock::time_point{};
        state->next = now + pause;
        if (!is_first) state->check();
    }

    static constexpr std::chrono::milliseconds pause{20};

private:
    using Clock = std::chrono::steady_clock;
    struct State {
        Check check;
        const std::atomic<bool>* over;  // if there is nobody to ask
        Clock::time_point next = {};
    };
    // To a few milliseconds, and in less time, where the system has such a clock: it is asked often.
    static Clock::time_point coarse_now() {
#ifdef CLOCK_MONOTONIC_COARSE
        timespec now;
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        return Clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
#else
        return Clock::now();
#endif
    }
    explicit Interruption(const State& state) : before_(current()), state_(state) { current() = &state_; }
    static State*& current() {
        thread_local State* state = nullptr;
        return state;
    }

    State* before_;
    State state_;
};

}  // namespace arbora
