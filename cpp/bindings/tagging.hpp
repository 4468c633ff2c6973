// Stages of taggers as Python holds them.
#pragma once
#include <nanobind/ndarray.h>

#include <memory>

#include "arrays.hpp"
#include "tagging/stage.hpp"
#include "tagging/text.hpp"

namespace arbora {

// A dictionary and the arrays that it looks at, which may be mapped from a file.
struct LoadedDictionary {
    Array<const std::uint64_t> keys;
    Array<const std::uint32_t> starts;
    Array<const std::uint16_t> lists;
    Dictionary dictionary;

    LoadedDictionary(Array<const std::uint64_t> its_keys, Array<const std::uint32_t> its_starts,
                     Array<const std::uint16_t> its_lists, int labels)
        : keys(std::move(its_keys)),
          starts(std::move(its_starts)),
          lists(std::move(its_lists)),
          dictionary({keys.data(), keys.shape(0)}, {starts.data(), starts.shape(0)}, {lists.data(), lists.shape(0)},
                     labels) {}
};

using StageClass = nanobind::class_<Stage>;
void bind_stage_training(StageClass& stage);

}  // namespace arbora
