// The tensors of a model file, as bindings of networks read them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "encoders/encoder.hpp"

namespace arbora {

using Tensor = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

inline bool are_finite(const float* first, std::size_t count) {
    return std::all_of(first, first + count, [](float x) { return std::isfinite(x); });
}

// The tensors of a model by name, of which those that were asked for are kept.
class Tensors {
public:
    explicit Tensors(nanobind::dict given) : given_(std::move(given)) {}

    bool has(const std::string& name) const { return given_.contains(name.c_str()); }
    // The extent of its first axis.
    std::size_t rows(const std::string& name) const {
        const Tensor found = tensor(name);
        return found.ndim() ? found.shape(0) : 0;
    }
    std::vector<Tensor> take() { return std::move(kept_); }

    // Of this shape, and all its numbers are some.
    const float* floats(const std::string& name, std::initializer_list<std::size_t> shape) {
        const Tensor found = tensor(name);
        if (found.dtype() != nanobind::dtype<float>())
            throw nanobind::value_error((name + ": no array of 32-bit floats").c_str());
        expect_shape(found, shape, name.c_str());
        const auto* numbers = static_cast<const float*>(found.data());
        if (!are_finite(numbers, found.size()))
            throw nanobind::value_error((name + ": some of its numbers are none").c_str());
        kept_.push_back(found);
        return numbers;
    }

    // Weights in 8 bits, or none if they are floats.
    const std::int8_t* bytes(const std::string& name, std::initializer_list<std::size_t> shape) {
        const Tensor found = tensor(name);
        if (found.dtype() != nanobind::dtype<std::int8_t>()) return nullptr;
        expect_shape(found, shape, name.c_str());
        kept_.push_back(found);
        return static_cast<const std::int8_t*>(found.data());
    }

    encoders::DenseView dense(const std::string& name, std::size_t out, std::size_t in) {
        encoders::DenseView view;
        view.out = out;
        view.in = in;
        view.bytes = bytes(name + ".weights", {out, in});
        if (view.bytes) {
            view.scales = floats(name + ".scales", {out});
        } else {
            view.floats = floats(name + ".weights", {out, in});
        }
        view.bias = floats(name + ".bias", {out});
        return view;
    }

    encoders::NormView norm(const std::string& name, std::size_t width) {
        return {floats(name + ".scale", {width}), floats(name + ".shift", {width})};
    }

private:
    Tensor tensor(const std::string& name) const {
        if (!has(name)) throw nanobind::key_error(name.c_str());
        Tensor found;
        if (!nanobind::try_cast(given_[name.c_str()], found, false))
            throw nanobind::value_error((name + ": no array whose rows lie one after the other").c_str());
        // Wherever files say that they lie.
        if (reinterpret_cast<std::uintptr_t>(found.data()) % found.itemsize())
            throw nanobind::value_error((name + ": it begins between two numbers").c_str());
        return found;
    }

    nanobind::dict given_;
    std::vector<Tensor> kept_;
};

}  // namespace arbora
