// Templates as arbora.features hands them over, to parsers, taggers and tokenizers alike.
#pragma once
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace arbora {

// The seed, the atoms as (place, offset, name), and the qualifiers. Everything goes by names.
using TemplateSpec =
    std::tuple<std::uint64_t, std::vector<std::tuple<std::string, int, std::string>>, std::vector<std::string>>;

}  // namespace arbora
