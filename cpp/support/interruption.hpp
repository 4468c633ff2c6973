#pragma once
#include <chrono>

namespace arbora {

// While it lives, long computations of this thread ask `check` now and then whether to go on; it throws if not. So
// Ctrl-C reaches a solver, and the core need not know who listens for it.
class Interruption {
public:
    using Check = void (*)();

    explicit Interruption(Check check) : before_(current()), state_{check, Clock::now() + pause} {
        current() = &state_;
    }
    ~Interruption() { current() = before_; }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    // Asks, if there is somebody to ask who was not asked within the last moments.
    static void heed() {
        State* state = current();
        if (!state) return;
        const auto now = Clock::now();
        if (now < state->next) return;
        state->next = now + pause;
        state->check();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds pause{20};
    struct State {
        Check check;
        Clock::time_point next;
    };
    static State*& current() {
        thread_local State* state = nullptr;
        return state;
    }

    State* before_;
    State state_;
};

}  // namespace arbora
