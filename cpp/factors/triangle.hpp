#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "support/arena.hpp"
#include "support/vectorise.hpp"

namespace arbora {

inline double inner_product(const double* a, const double* b, std::size_t count) {
    double sum[4] = {};  // four at a time do not wait for one another
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
    for (; i < count; ++i) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

inline void rotate(double& left, double& right, double cosine, double sine) {
    const double before = left;
    left = cosine * before + sine * right;
    right = cosine * right - sine * before;
}

// x = L'^-1 x, where L is a lower triangle of `count` rows, row after row.
void solve_transposed(const double* triangle, int count, double* x);

// Takes row and column `index` out of M = L L', where L is a lower triangle of `count` rows. The rows of L below have an
// entry too many then, which rotations of neighbouring columns remove; each(i, cosine, sine) is called for the one of
// columns i and i + 1, and keeps L^-1 b right if the same is done to that.
template <class Each>
void remove_row(std::vector<double>& triangle, std::size_t index, std::size_t count, Arena& arena, Each each) {
    const Arena::Frame frame(arena);
    double* cosines = arena.take<double>(count);
    double* sines = arena.take<double>(count);
    double* old = arena.take<double>(count);
    const auto row = [&](std::size_t i) { return triangle.data() + i * (i + 1) / 2; };
    for (std::size_t i = index; i + 1 < count; ++i) {
        std::copy_n(row(i + 1), i + 2, old);
        for (std::size_t j = index; j < i; ++j) rotate(old[j], old[j + 1], cosines[j], sines[j]);
        const double length = std::hypot(old[i], old[i + 1]);
        cosines[i] = old[i] / length;
        sines[i] = old[i + 1] / length;
        old[i] = length;
        std::copy_n(old, i + 1, row(i));
        each(i, cosines[i], sines[i]);
    }
    triangle.resize(count * (count - 1) / 2);
}

}  // namespace arbora
