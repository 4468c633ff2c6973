#pragma once
#include <nanobind/ndarray.h>

#include <cstdint>

#include "linear/weights.hpp"

// A parser's weights as Python holds them: short integers, often mapped from a file, and the step they count in.
struct HeldWeights {
    nanobind::ndarray<const std::int16_t, nanobind::numpy, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>
        values;
    float step;

    // Without the `extra` weights at the end there must be a power of two.
    arbora::ShortWeights table(std::size_t extra) const {
        const std::size_t size = values.shape(0) - extra;
        if (values.shape(0) <= extra || (size & (size - 1)) || size < 16)
            throw nanobind::value_error("the weights are not a power of two and a block of labels");
        return {values.data(), static_cast<std::uint32_t>(size - 1), step};
    }
};
