// What bindings ask of arrays before the core reads them: it trusts lengths and numbers, so nothing may get through here
// that would make it read beyond them. Whatever does not fit is one ValueError that names the array.
#pragma once
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <string>

namespace arbora {

// "heads: 2 numbers, where 5 are needed"
inline void expect_length(std::size_t found, std::size_t wanted, const char* name) {
    if (found == wanted) return;
    throw nanobind::value_error(
        (std::string(name) + ": " + std::to_string(found) + " numbers, where " + std::to_string(wanted) + " are needed")
            .c_str());
}

template <class... Traits>
void expect_length(const nanobind::ndarray<Traits...>& array, std::size_t wanted, const char* name) {
    expect_length(array.size(), wanted, name);
}

// "scores: of shape (3, 2), where (3, 3) is needed"
template <class... Traits>
void expect_shape(const nanobind::ndarray<Traits...>& array, std::initializer_list<std::size_t> wanted,
                  const char* name) {
    bool fits = array.ndim() == wanted.size();
    std::string found, needed;
    for (std::size_t axis = 0; axis < array.ndim(); ++axis)
        found += (axis ? ", " : "") + std::to_string(array.shape(axis));
    std::size_t axis = 0;
    for (std::size_t extent : wanted) {
        fits = fits && array.shape(axis) == extent;
        needed += (axis++ ? ", " : "") + std::to_string(extent);
    }
    if (fits) return;
    throw nanobind::value_error(
        (std::string(name) + ": of shape (" + found + "), where (" + needed + ") is needed").c_str());
}

// "heads: 7 is none of the numbers from -1 to 5"
template <class Number>
void expect_between(Number number, std::ptrdiff_t low, std::ptrdiff_t high, const char* name) {
    if (static_cast<std::ptrdiff_t>(number) >= low && static_cast<std::ptrdiff_t>(number) <= high) return;
    throw nanobind::value_error((std::string(name) + ": " + std::to_string(number) + " is none of the numbers from " +
                                 std::to_string(low) + " to " + std::to_string(high))
                                    .c_str());
}

// The same of all numbers in a row.
template <class Number>
void expect_all_between(const Number* first, std::size_t count, std::ptrdiff_t low, std::ptrdiff_t high,
                        const char* name) {
    for (std::size_t i = 0; i < count; ++i) expect_between(first[i], low, high, name);
}

// "sentence: there are 3, counted from 0, and no 7"; an IndexError.
inline void expect_place(std::size_t place, std::size_t count, const char* name) {
    if (place < count) return;
    throw nanobind::index_error((std::string(name) + ": there are " + std::to_string(count) +
                                 ", counted from 0, and no " + std::to_string(place))
                                    .c_str());
}

template <class Places>
void expect_places(const Places& places, std::size_t count, const char* name) {
    for (const auto place : places) expect_place(static_cast<std::size_t>(place), count, name);
}

}  // namespace arbora
