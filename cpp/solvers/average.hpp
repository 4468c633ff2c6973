#pragma once
#include <vector>

namespace arbora {

// The mean of vectors that come one after the other.
class Average {
public:
    explicit Average(std::size_t size) : sums_(size, 0.0) {}

    void add(const std::vector<double>& values) {
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += values[i];
        ++count_;
    }
    int count() const { return count_; }
    double operator[](std::size_t i) const { return sums_[i] / count_; }
    void clear() { *this = Average(sums_.size()); }

private:
    std::vector<double> sums_;
    int count_ = 0;
};

}  // namespace arbora
