#pragma once
#include <cmath>

namespace arbora {

// A non-negative number of which only its order of magnitude counts: 10^a + 10^b is 10^max(a, b). Written as its
// logarithm, sums become maxima, products sums, quotients differences, and 0 is -inf. An algorithm over non-negative
// numbers that never subtracts, run on these, gives the maximum where it would give the sum: its equations hold for the
// weights exp(score / temperature) at every temperature, and this is their limit at 0.
class Tropical {
public:
    constexpr Tropical() = default;
    explicit Tropical(double value) : score_(std::log(value)) {}
    static Tropical exp(double score) {
        Tropical result;
        result.score_ = score;
        return result;
    }

    double log() const { return score_; }
    bool is_zero() const { return score_ == -INFINITY; }

    friend Tropical operator*(Tropical a, Tropical b) { return exp(a.score_ + b.score_); }
    friend Tropical operator/(Tropical a, Tropical b) { return exp(a.score_ - b.score_); }
    friend Tropical operator+(Tropical a, Tropical b) { return a.score_ < b.score_ ? b : a; }
    friend Tropical operator+(Tropical a, int b) { return a + Tropical(b); }
    Tropical& operator+=(Tropical other) { return *this = *this + other; }

private:
    double score_ = -INFINITY;
};

}  // namespace arbora
