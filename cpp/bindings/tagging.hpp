// Stages of taggers as Python holds them.
#pragma once
#include <nanobind/ndarray.h>

#include <memory>

#include "tagging/stage.hpp"
#include "tagging/text.hpp"

namespace arbora {

template <class T>
using Row = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// A dictionary and the arrays that it looks at, which may be mapped from a file.
struct HeldDictionary {
    Row<const std::uint64_t> keys;
    Row<const std::uint32_t> starts;
    Row<const std::uint16_t> lists;
    Dictionary dictionary;

    HeldDictionary(Row<const std::uint64_t> its_keys, Row<const std::uint32_t> its_starts,
                   Row<const std::uint16_t> its_lists, int labels)
        : keys(std::move(its_keys)),
          starts(std::move(its_starts)),
          lists(std::move(its_lists)),
          dictionary({keys.data(), keys.shape(0)}, {starts.data(), starts.shape(0)}, {lists.data(), lists.shape(0)},
                     labels) {}
};

using StageClass = nanobind::class_<Stage>;
void bind_stage_training(StageClass& stage);

}  // namespace arbora
