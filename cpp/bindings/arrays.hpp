#pragma once
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace arbora {

// An array of Python's, one number after the other.
template <class T, std::size_t rank = 1>
using Array = nanobind::ndarray<T, nanobind::ndim<rank>, nanobind::c_contig, nanobind::device::cpu>;

}  // namespace arbora

// A numpy array that owns fresh memory.
template <class T, std::size_t rank>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<rank>> new_array(std::initializer_list<std::size_t> shape,
                                                                      T*& data) {
    std::size_t size = 1;
    for (std::size_t extent : shape) size *= extent;
    data = new T[size];
    nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<rank>>(data, shape, owner);
}

// Texts one after the other.
inline nanobind::bytes joined_bytes(const std::vector<std::string>& texts) {
    std::size_t size = 0;
    for (const std::string& text : texts) size += text.size();
    auto result = nanobind::steal<nanobind::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!result.is_valid()) throw nanobind::python_error();
    char* at = PyBytes_AS_STRING(result.ptr());
    for (const std::string& text : texts) at = std::copy(text.begin(), text.end(), at);
    return result;
}
