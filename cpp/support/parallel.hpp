#pragma once
#include <cstddef>
#include <functional>

#include "support/interruption.hpp"

namespace arbora {

// Runs task(0), ..., task(count - 1) on up to `threads` threads. Tasks must be independent: which thread runs
// which is not fixed, so results may depend on the index only. The first exception is rethrown at the end; it ends the
// tasks of the other threads where they heed interruptions, and so does an interruption of the calling thread.
void run_in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task);

template <class Task>
void parallel_for(std::size_t count, int threads, const Task& task) {
    if (threads > 1 && count > 1) return run_in_parallel(count, static_cast<std::size_t>(threads), task);
    for (std::size_t i = 0; i < count; ++i) {
        if (i) Interruption::heed();
        task(i);
    }
}

}  // namespace arbora
