#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "linear/weights.hpp"
#include "support/large_pages.hpp"

// A model's weights as Python holds them: short integers, and the step they count in. They are a copy of what is in a
// file: mapped pages are small, and parsers look up weights at random. Copies of this share them.
struct LoadedWeights {
    std::shared_ptr<arbora::LargeVector<std::int16_t>> values;
    float step = 1;

    explicit LoadedWeights(std::size_t count) : values(std::make_shared<arbora::LargeVector<std::int16_t>>(count)) {}
    LoadedWeights(const std::int16_t* first, std::size_t count, float step)
        : values(std::make_shared<arbora::LargeVector<std::int16_t>>(first, first + count)), step(step) {}

    // Without the `extra` weights at the end there must be a power of two.
    arbora::ShortWeights table(std::size_t extra) const {
        const std::size_t size = values->size() - extra;
        if (values->size() <= extra || (size & (size - 1)) || size < 16)
            throw nanobind::value_error("the weights are not a power of two and a block of labels");
        return {values->data(), static_cast<std::uint32_t>(size - 1), step};
    }
};
