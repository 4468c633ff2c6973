#pragma once
#include <cmath>
#include <vector>

namespace arbora {

// Several messages to one slot together. Those that say "never" or "always" are counted, not added, so that any of them
// can be taken out again.
struct MessageSum {
    double finite = 0;
    int never = 0, always = 0;

    double value() const { return never ? -INFINITY : always ? INFINITY : finite; }
};

// What a unary score and all messages say about each slot together.
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

    MessageSum sum(int slot) const { return {sums_[slot], never_[slot], always_[slot]}; }
    void add(int slot, const MessageSum& sum) {
        sums_[slot] += sum.finite;
        never_[slot] += sum.never;
        always_[slot] += sum.always;
    }
    void take_out(int slot, const MessageSum& sum) {
        sums_[slot] -= sum.finite;
        never_[slot] -= sum.never;
        always_[slot] -= sum.always;
    }
    void clear(int slot) {
        sums_[slot] = 0;
        never_[slot] = always_[slot] = 0;
    }

private:
    std::vector<double> sums_;
    std::vector<int> never_, always_;
};

}  // namespace arbora
