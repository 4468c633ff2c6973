#pragma once
#include <cmath>
#include <vector>

namespace arbora {

// What a unary score and all messages say about each slot together. Messages that say "never" or "always" are
// counted, not added, so that any of them can be taken out again.
class Totals {
public:
    explicit Totals(std::size_t slots) : sums_(slots, 0.0), never_(slots, 0), always_(slots, 0) {}

    void add(int slot, double message) {
        if (std::isinf(message))
            ++(message > 0 ? always_ : never_)[slot];
        else
            sums_[slot] += message;
    }
    void take_out(int slot, double message) {
        if (std::isinf(message))
            --(message > 0 ? always_ : never_)[slot];
        else
            sums_[slot] -= message;
    }

    double operator()(int slot) const { return never_[slot] ? -INFINITY : always_[slot] ? INFINITY : sums_[slot]; }

    // The total of all but this message, which is one of them.
    double without(int slot, double message) const {
        const bool is_infinite = std::isinf(message);
        if (never_[slot] > (is_infinite && message < 0)) return -INFINITY;
        if (always_[slot] > (is_infinite && message > 0)) return INFINITY;
        return is_infinite ? sums_[slot] : sums_[slot] - message;
    }

    // One message says "never", another "always": no assignment satisfies both.
    bool contradicts(int slot) const { return never_[slot] && always_[slot]; }

private:
    std::vector<double> sums_;
    std::vector<int> never_, always_;
};

}  // namespace arbora
