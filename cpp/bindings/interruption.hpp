#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>

#include "support/interruption.hpp"

namespace arbora {

// What the core's calls on this thread obey besides signals, if there is anything: up when they shall end.
inline std::shared_ptr<const std::atomic<bool>>& stop_of_thread() {
    thread_local std::shared_ptr<const std::atomic<bool>> stop;
    return stop;
}

inline bool is_thread_stopped() { return stop_of_thread() && *stop_of_thread(); }

// Throws if a signal's handler does, or if the thread shall stop.
inline void check_signals() {
    nanobind::gil_scoped_acquire acquire;
    const bool stopped = is_thread_stopped();
    if (stopped) PyErr_SetNone(PyExc_KeyboardInterrupt);
    if (stopped || PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

// Ends a call that a stopped thread begins.
struct Begun {
    Begun() {
        if (!is_thread_stopped()) return;
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nanobind::python_error();
    }
};

// While it lives, this thread has no GIL; signals that come to Python meanwhile are handled, so that Ctrl-C ends what the
// core does.
class Unlocked {
    Begun begun_;
    nanobind::gil_scoped_release release_;
    Interruption interruption_{check_signals};
};

// What `run` gives, unlocked.
template <class Run>
auto run_unlocked(const Run& run) {
    const Unlocked unlocked;
    return run();
}

}  // namespace arbora
