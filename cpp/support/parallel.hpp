#pragma once
#include <cstddef>
#include <functional>

namespace arbora {

// Runs task(0), ..., task(count - 1) on up to `threads` threads. Tasks must be independent: which thread runs
// which is not fixed, so results may depend on the index only. The first exception is rethrown at the end.
void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task);

}  // namespace arbora
