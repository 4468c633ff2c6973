#include "solvers/decoding.hpp"
#include "support/interruption.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>

namespace arbora {

Decoding::Decoding(const Copies& copies, std::vector<double> in)
    : copies_(copies),
      in_(std::move(in)),
      found_(copies.factors(), 0.0),
      configurations_(copies.factors()),
      dirty_((copies.factors() + 63) / 64, 0),
      is_true_(copies.ports()),
      count_true_(copies.graph().slots(), 0),
      place_(copies.graph().slots(), -1) {
    // Before the first round no port is active, so that a slot is true where it is negated.
    for (int port = 0; port < copies.ports(); ++port) {
        is_true_[port] = copies.is_negated(port);
        count_true_[copies.slot(port)] += is_true_[port];
    }
    for (int slot = 0; slot < copies.graph().slots(); ++slot) update_disagreement(slot);
    for (int factor = 0; factor < copies.factors(); ++factor) mark(factor);
}

bool Decoding::solve(bool lazy, Outcome& outcome) {
    using Clock = std::chrono::steady_clock;
    const std::size_t groups = copies_.graph().groups().size();
    outcome.calls.resize(groups, 0);
    outcome.skipped.resize(groups, 0);
    outcome.seconds.resize(groups, 0.0);
    touched_.clear();
    auto before = Clock::now();
    for (std::size_t g = 0; g < groups; ++g) {
        const int begin = copies_.group_begin(g), end = copies_.group_begin(g + 1);
        long long calls = 0;
        for (int factor = begin; factor < end;) {
            if (lazy) {
                // To the next factor that is marked; in order, so that what is added up does not depend on `lazy`.
                const std::uint64_t word = dirty_[factor / 64] >> (factor % 64);
                if (!word) {
                    factor = (factor / 64 + 1) * 64;
                    continue;
                }
                factor += std::countr_zero(word);
                if (factor >= end) break;
            }
            dirty_[factor / 64] &= ~(std::uint64_t{1} << (factor % 64));
            ++calls;
            if (!solve_factor(factor)) return false;
            ++factor;
        }
        const auto after = Clock::now();
        outcome.calls[g] += calls;
        outcome.skipped[g] += end - begin - calls;
        outcome.seconds[g] += std::chrono::duration<double>(after - before).count();
        before = after;
    }
    // Differences are added up for a while only, or their rounding would add up too.
    if (solved_since_sum_ > 16 * copies_.factors()) {
        total_ = std::accumulate(found_.begin(), found_.end(), 0.0);
        solved_since_sum_ = 0;
    }
    return true;
}

bool Decoding::solve_factor(int factor) {
    Interruption::heed();
    const int begin = copies_.port_begin(factor);
    double found = copies_.group(factor).best(copies_.number_in_group(factor), in_.data() + begin, fresh_, arena_);
    if (found == -INFINITY) return false;
    if (copies_.has_negations(factor))
        for (int port = begin; port < copies_.port_end(factor); ++port)
            if (copies_.is_negated(port) && std::isfinite(in_[port])) found -= in_[port];
    if (found != found_[factor]) {
        total_ += found - found_[factor];
        found_[factor] = found;
        ++solved_since_sum_;
    }
    if (when_changing_ && configurations_[factor].active != fresh_.active)
        when_changing_(factor, configurations_[factor].active);
    change_copies(factor, configurations_[factor].active, fresh_.active);
    std::swap(configurations_[factor], fresh_);
    return true;
}

// The ports that are active in only one of two configurations change.
void Decoding::change_copies(int factor, const std::vector<int>& before, const std::vector<int>& after) {
    const int begin = copies_.port_begin(factor);
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < after.size()) {
        if (j == after.size() || (i < before.size() && before[i] < after[j])) {
            flip(begin + before[i++]);
        } else if (i == before.size() || after[j] < before[i]) {
            flip(begin + after[j++]);
        } else {
            ++i;
            ++j;
        }
    }
}

void Decoding::flip(int port) {
    const int slot = copies_.slot(port);
    is_true_[port] ^= 1;
    count_true_[slot] += is_true_[port] ? 1 : -1;
    touched_.push_back(slot);
    update_disagreement(slot);
}

void Decoding::update_disagreement(int slot) {
    const bool disagrees = count_true_[slot] > 0 && count_true_[slot] < copies_.degree(slot) && copies_.is_free(slot);
    if (disagrees == (place_[slot] >= 0)) return;
    if (disagrees) {
        place_[slot] = static_cast<int>(disagreeing_.size());
        disagreeing_.push_back(slot);
    } else {
        const int last = disagreeing_.back();
        disagreeing_[place_[slot]] = last;
        place_[last] = place_[slot];
        disagreeing_.pop_back();
        place_[slot] = -1;
    }
}

}  // namespace arbora
