#pragma once
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>

// A numpy array that owns fresh memory.
template <class T, std::size_t rank>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<rank>> new_array(std::initializer_list<std::size_t> shape, T*& data) {
    std::size_t size = 1;
    for (std::size_t extent : shape) size *= extent;
    data = new T[size];
    nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<rank>>(data, shape, owner);
}
