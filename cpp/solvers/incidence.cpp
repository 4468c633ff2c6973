#include "solvers/incidence.hpp"

#include <algorithm>
#include <numeric>

namespace arbora {

Incidence::Incidence(const MessageState& state) : begins_(state.graph().slots() + 1, 0) {
    for (std::size_t g = 0; g < state.groups(); ++g) {
        const Wiring& wiring = state.group(g).wiring();
        first_.push_back(group_.size());
        group_.resize(group_.size() + wiring.factors(), static_cast<std::uint32_t>(g));
        for (std::size_t port = 0; port < wiring.ports(); ++port) ++begins_[wiring.slot(port) + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    entries_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t factor = 0; factor < group_.size(); ++factor) {
        const Wiring& wiring = state.group(group_[factor]).wiring();
        const std::size_t end = wiring.port_end(within(factor));
        for (std::size_t port = wiring.port_begin(within(factor)); port < end; ++port)
            entries_[next[wiring.slot(port)]++] = {static_cast<std::uint32_t>(factor),
                                                   static_cast<std::uint32_t>(port)};
    }
}

std::vector<std::size_t> groups_by_size(const MessageState& state) {
    std::vector<int> largest(state.groups(), 0);
    for (std::size_t g = 0; g < state.groups(); ++g) {
        const Wiring& wiring = state.group(g).wiring();
        for (std::size_t factor = 0; factor < wiring.factors(); ++factor)
            largest[g] = std::max(largest[g], wiring.port_count(factor));
    }
    std::vector<std::size_t> order(state.groups());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return largest[a] < largest[b]; });
    return order;
}

}  // namespace arbora
