#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/message_state.hpp"

namespace arbora {

// Which factors see a slot, and through which port. The factors of all groups are numbered in a row.
class Incidence {
public:
    struct Entry {
        std::uint32_t factor, port;  // the port within its group
    };

    explicit Incidence(const MessageState& state);

    std::size_t factors() const { return group_.size(); }
    std::size_t group(std::size_t factor) const { return group_[factor]; }
    // The factor as its group counts.
    std::size_t within(std::size_t factor) const { return factor - first_[group_[factor]]; }
    std::size_t number(std::size_t group, std::size_t factor) const { return first_[group] + factor; }

    std::span<const Entry> at(int slot) const {
        return {entries_.data() + begins_[slot], entries_.data() + begins_[slot + 1]};
    }

private:
    std::vector<std::uint32_t> group_;
    std::vector<std::size_t> first_, begins_;
    std::vector<Entry> entries_;
};

// The groups with those of small factors first: what is local has spoken before the global ones listen.
std::vector<std::size_t> groups_by_size(const MessageState& state);

}  // namespace arbora
