#pragma once
#include <nanobind/ndarray.h>

#include <string>
#include <type_traits>
#include <vector>

#include "interruption.hpp"
#include "support/parallel.hpp"
#include "trees/scores.hpp"

// What bindings that take the scores of a batch, a list of contiguous float64 arrays, have in common.

namespace arbora {

// How the arrays look to a type checker.
using ScoreList = nanobind::typed<nanobind::list, nanobind::ndarray<nanobind::numpy, double>>;
using Values = nanobind::typed<nanobind::list, double>;

// What the buffer protocol tells of an array; about 0.1 us less for each than with nanobind's ndarray, which is felt
// with small sentences. The caller keeps the array alive.
template <class T>
struct Buffer {
    static constexpr std::size_t most_axes = 4;
    T* data;
    std::size_t ndim, size, shape[most_axes];

    explicit Buffer(nanobind::handle array) {
        constexpr bool writable = !std::is_const_v<T>;
        Py_buffer view;
        if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)))
            nanobind::raise_python_error();
        constexpr char code = std::is_same_v<std::remove_const_t<T>, double> ? 'd' : 'i';
        const bool fits = view.itemsize == sizeof(T) && view.format[0] == code && !view.format[1];
        data = static_cast<T*>(view.buf);
        ndim = view.ndim;
        size = view.len / sizeof(T);
        for (std::size_t i = 0; i < most_axes; ++i) shape[i] = i < ndim ? view.shape[i] : 0;
        PyBuffer_Release(&view);
        if (!fits) throw nanobind::type_error("an array of another type than the core works on");
    }
};

inline std::string shape_of(nanobind::handle array) {
    return nanobind::str(nanobind::object(array.attr("shape"))).c_str();
}

// How an error says which sentence it is about.
inline std::string sentence_place(std::size_t i, std::size_t size) {
    return size == 1 ? "" : "sentence " + std::to_string(i) + " of the batch: ";
}

// task(i) for every sentence, without the GIL; errors say which sentence it was.
template <class Task>
void for_each_sentence(std::size_t size, int threads, Task task) {
    const Unlocked unlocked;
    parallel_for(size, threads, [&](std::size_t i) {
        try {
            task(i);
        } catch (const Infeasible& error) {
            throw Infeasible(sentence_place(i, size) + error.what());
        } catch (const InvalidScores& error) {
            throw InvalidScores(sentence_place(i, size) + error.what());
        }
    });
}

inline Values as_list(const std::vector<double>& values) {
    Values result;
    for (double value : values) result.append(value);
    return result;
}

}  // namespace arbora
