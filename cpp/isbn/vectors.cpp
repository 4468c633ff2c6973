#include "isbn/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

double normalise(double* scores, int count) {
    const double most = *std::max_element(scores, scores + count);
    double total = 0;
    for (int r = 0; r < count; ++r) total += scores[r] = std::exp(scores[r] - most);
    for (int r = 0; r < count; ++r) scores[r] /= total;
    return most + std::log(total);
}

void squash(const double* x, int width, double* means) {
    for (int i = 0; i < width; ++i) means[i] = 1 / (1 + std::exp(-x[i]));
}

}  // namespace arbora::isbn
