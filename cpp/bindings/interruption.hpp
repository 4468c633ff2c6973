#pragma once
#include <nanobind/nanobind.h>

#include "support/interruption.hpp"

inline void check_signals() {
    nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

// What `run` gives, without the GIL; signals that come to Python meanwhile are handled, so that Ctrl-C ends it.
template <class Run>
auto run_without_gil(const Run& run) {
    nanobind::gil_scoped_release release;
    const arbora::Interruption interruption(check_signals);
    return run();
}
