#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "checks.hpp"
#include "linear/learner.hpp"
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

// That a learner has room for a model's weights: a table, and at least so many more after it.
inline void expect_learner(arbora::OnlineLearner& learner, int padding) {
    const std::size_t needed = std::size_t{learner.mask()} + 1 + padding, found = learner.current().size();
    if (found < needed) arbora::expect_length(found, needed, "weights of the learner");
}
