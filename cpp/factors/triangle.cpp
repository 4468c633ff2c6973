#include "factors/triangle.hpp"

namespace arbora {

ARBORA_VECTORISED void solve_transposed(const double* triangle, int count, double* x) {
    const double* l = triangle + static_cast<std::size_t>(count) * (count + 1) / 2;
    for (int i = count - 1; i >= 0; --i) {
        l -= i + 1;
        const double value = x[i] /= l[i];
        for (int j = 0; j < i; ++j) x[j] -= l[j] * value;
    }
}

}  // namespace arbora
