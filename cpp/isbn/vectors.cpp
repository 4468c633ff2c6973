#include "isbn/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "support/exponential.hpp"
#include "support/vectorise.hpp"

namespace arbora::isbn {
namespace {

// Sums of products in a fixed order, four at a time, so that results do not hang on how a loop is compiled.
inline double product(const double* x, const double* y, int width) {
    double sums[8] = {};
    int i = 0;
    for (; i + 8 <= width; i += 8)
        for (int k = 0; k < 8; ++k) sums[k] += x[i + k] * y[i + k];
    double rest = 0;
    for (; i < width; ++i) rest += x[i] * y[i];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

}  // namespace

ARBORA_VECTORISED void multiply_rows(const double* rows, const double* biases, int count, int width, const double* x,
                                     double* scores) {
    for (int r = 0; r < count; ++r)
        scores[r] = (biases ? biases[r] : 0.0) + product(rows + static_cast<std::ptrdiff_t>(r) * width, x, width);
}

ARBORA_VECTORISED void add_rows(const double* rows, const double* factors, int count, int width, double* y) {
    int r = 0;
    for (; r + 4 <= count; r += 4) {
        const double* row = rows + static_cast<std::ptrdiff_t>(r) * width;
        const double a = factors[r], b = factors[r + 1], c = factors[r + 2], d = factors[r + 3];
        ARBORA_INDEPENDENT
        for (int i = 0; i < width; ++i)
            y[i] += (a * row[i] + b * row[width + i]) + (c * row[2 * width + i] + d * row[3 * width + i]);
    }
    for (; r < count; ++r) {
        const double* row = rows + static_cast<std::ptrdiff_t>(r) * width;
        ARBORA_INDEPENDENT
        for (int i = 0; i < width; ++i) y[i] += factors[r] * row[i];
    }
}

ARBORA_VECTORISED void add_to_rows(const double* factors, int count, int width, const double* x, double* rows) {
    for (int r = 0; r < count; ++r) {
        double* row = rows + static_cast<std::ptrdiff_t>(r) * width;
        const double factor = factors[r];
        ARBORA_INDEPENDENT
        for (int i = 0; i < width; ++i) row[i] += factor * x[i];
    }
}

ARBORA_VECTORISED void add_multiple(double a, const double* x, int width, double* y) {
    ARBORA_INDEPENDENT
    for (int i = 0; i < width; ++i) y[i] += a * x[i];
}

ARBORA_VECTORISED double dot_product(const double* x, const double* y, int width) { return product(x, y, width); }

ARBORA_VECTORISED double normalise(double* scores, int count) {
    const double most = *std::max_element(scores, scores + count);
    ARBORA_INDEPENDENT
    for (int r = 0; r < count; ++r) scores[r] = exp_bounded(scores[r] - most);
    double total = 0;
    for (int r = 0; r < count; ++r) total += scores[r];
    const double inverse = 1 / total;
    for (int r = 0; r < count; ++r) scores[r] *= inverse;
    return most + std::log(total);
}

ARBORA_VECTORISED double squash(const double* x, int width, double* means) {
    constexpr int most = 512;  // factors of at most 2 whose product is finite: one logarithm for all of them
    double total = 0;
    for (int begin = 0; begin < width; begin += most) {
        const int end = std::min(width, begin + most);
        ARBORA_INDEPENDENT
        for (int i = begin; i < end; ++i) means[i] = exp_bounded(-std::abs(x[i]));
        double products[4] = {1, 1, 1, 1};
        for (int i = begin; i < end; ++i) products[i % 4] *= 1 + means[i];
        total += std::log(products[0] * products[1]) + std::log(products[2] * products[3]);
        for (int i = begin; i < end; ++i) total += std::max(x[i], 0.0);
        ARBORA_INDEPENDENT
        for (int i = begin; i < end; ++i) means[i] = (x[i] >= 0 ? 1.0 : means[i]) / (1 + means[i]);
    }
    return total;
}

}  // namespace arbora::isbn
