#pragma once
#include <concepts>

namespace arbora {

// A commutative semiring (plus, times, zero, one) over doubles, with its inner product:
//     dot(a, b, count) = plus over k < count of a[k] times b[k].
// A new member is one file; charts take it as a template argument, so nothing is dispatched inside their loops.
template <class S>
concept Semiring = requires(double x, const double* v, int i) {
    { S::zero } -> std::convertible_to<double>;
    { S::one } -> std::convertible_to<double>;
    { S::plus(x, x) } -> std::same_as<double>;
    { S::times(x, x) } -> std::same_as<double>;
    { S::dot(v, v, i) } -> std::same_as<double>;
};

}  // namespace arbora
